import type { ProjectRow } from '../domain/project-row';

/**
 * The approval settings of a project (G-4.2-8). What stands fixed is not built: it can be set to nothing else. Approvers
 * are named in approval rules alone.
 */
export const presentApprovalSettings = (project: ProjectRow) => ({
  approvers: [],
  approver_groups: [],
  approvals_before_merge: project.approvals_before_merge,
  reset_approvals_on_push: project.reset_approvals_on_push,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: project.disable_overriding_approvers_per_merge_request,
  merge_requests_author_approval: project.merge_requests_author_approval,
  merge_requests_disable_committers_approval: project.merge_requests_disable_committers_approval,
  require_password_to_approve: false,
  require_reauthentication_to_approve: false,
});
