import { ApprovalServiceService } from '@switchyard/protos/merge_requests/v1/approval';
import { integer, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const mergeRequest = { merge_request_iid: integer() };
const onePath = '/projects/:id/merge_requests/:merge_request_iid' as const;
const section = 'Approvals' as const;

/** Approvals of merge requests (G-4.2-8). */
export const approvalRoutes = [
  defineRoute({
    method: 'get',
    path: `${onePath}/approvals`,
    section,
    summary: 'Get the approvals of a merge request',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    returns: { 200: 'MergeRequestApprovals' },
    handle: ({ path, access, call }) =>
      call(ApprovalServiceService).getApprovals({ projectId: access.id, iid: path.merge_request_iid }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/approve`,
    section,
    summary: 'Approve a merge request',
    docs: {
      description:
        'Approve a merge request, once. Its author may not, unless the project allows it. With `sha` only that commit is approved.',
      fails: [409],
      example: { sha: '2f1a9c4e8b7d6053f2a1c9e8d7b6a5f4e3d2c1b0' },
    },
    access: { project: 'approve_merge_request' },
    path_params: mergeRequest,
    params: { sha: text().optional() },
    returns: { 201: 'MergeRequestApprovals' },
    handle: ({ params, path, access, call }) =>
      call(ApprovalServiceService).approve({
        projectId: access.id,
        iid: path.merge_request_iid,
        sha: params.sha ?? '',
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/unapprove`,
    section,
    summary: 'Take an approval back',
    access: { project: 'approve_merge_request' },
    path_params: mergeRequest,
    returns: { 201: 'MergeRequestApprovals' },
    handle: ({ path, access, call }) =>
      call(ApprovalServiceService).unapprove({ projectId: access.id, iid: path.merge_request_iid }),
  }),
  defineRoute({
    method: 'put',
    path: `${onePath}/reset_approvals`,
    section,
    summary: 'Take all approvals back',
    docs: { description: 'Take all approvals of a merge request back. For bots, with a project or group token.' },
    access: { project: 'approve_merge_request' },
    path_params: mergeRequest,
    returns: { 202: undefined },
    handle: ({ path, access, call }) =>
      call(ApprovalServiceService).resetApprovals({ projectId: access.id, iid: path.merge_request_iid }),
  }),
];
