import type { Membership } from '../../members';
import type { Share } from '../../shares';

/** What hooks say of a project that is gone. */
export interface ProjectState {
  name: string;
  path: string;
  fullPath: string;
  visibility: string;
  namespaceId: number;
  inGroup: boolean;
  creatorId: number;
}

/** What lies in projects or namespaces and goes with them. */
export interface Contents {
  memberships: Membership[];
  /** Of what goes, and with groups that go. */
  shares: Share[];
  /** Ids. */
  labels: number[];
  /** Ids. */
  milestones: number[];
}
