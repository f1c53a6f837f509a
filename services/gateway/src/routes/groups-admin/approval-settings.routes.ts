import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { atLeastOne } from '../../http/check-parameters';
import { boolean, documented, integer, onlyDefault } from '../../http/params';
import { defineRoute } from '../../http/route';

const path = '/projects/:id/approvals' as const;
const section = 'Approvals' as const;
const returned = 'ApprovalSettings' as const;

const params = {
  // What lies outside is for the service to refuse.
  approvals_before_merge: documented(integer({ min: 0, max: 2_147_483_647 }), { maximum: 100 }).optional(),
  reset_approvals_on_push: boolean().optional(),
  disable_overriding_approvers_per_merge_request: boolean().optional(),
  merge_requests_author_approval: boolean().optional(),
  merge_requests_disable_committers_approval: boolean().optional(),
  selective_code_owner_removals: onlyDefault(boolean(), false).optional(),
  require_password_to_approve: onlyDefault(boolean(), false).optional(),
  require_reauthentication_to_approve: onlyDefault(boolean(), false).optional(),
};

/** Approval settings of projects (G-4.2-8). */
export const approvalSettingsRoutes = [
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'Get the approval settings of a project',
    access: { project: 'read_merge_request' },
    tier: 'premium',
    returns: { 200: returned },
    handle: ({ access, call }) => call(ProjectServiceService).getApprovalSettings({ projectId: access.id }),
  }),
  defineRoute({
    method: 'post',
    path,
    section,
    summary: 'Change the approval settings of a project',
    docs: {
      description: 'Change who may approve merge requests, and what a push does to approvals.',
      example: { approvals_before_merge: 2, reset_approvals_on_push: true },
    },
    access: { project: 'admin_project' },
    tier: 'premium',
    params,
    relations: [atLeastOne(...(Object.keys(params) as (keyof typeof params)[]))],
    returns: { 201: returned },
    handle: ({ params: given, access, call }) =>
      call(ProjectServiceService).setApprovalSettings({
        projectId: access.id,
        approvalsBeforeMerge: given.approvals_before_merge,
        resetApprovalsOnPush: given.reset_approvals_on_push,
        disableOverridingApproversPerMergeRequest: given.disable_overriding_approvers_per_merge_request,
        mergeRequestsAuthorApproval: given.merge_requests_author_approval,
        mergeRequestsDisableCommittersApproval: given.merge_requests_disable_committers_approval,
      }),
  }),
];
