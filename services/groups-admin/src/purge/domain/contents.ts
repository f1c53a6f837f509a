import type { ProjectState } from '@switchyard/protos/groups_admin/events/v1/project_event';
import type { Membership } from '../../members';
import type { Share } from '../../shares';

export type { ProjectState };

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
