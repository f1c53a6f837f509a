import type { Membership } from '../../members';

/** What lies in projects or namespaces and goes with them. */
export interface Contents {
  memberships: Membership[];
  /** Ids. */
  labels: number[];
  /** Ids. */
  milestones: number[];
}
