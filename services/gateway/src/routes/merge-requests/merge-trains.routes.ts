import { MergeTrainServiceService } from '@switchyard/protos/merge_requests/v1/merge_train';
import { boolean, documented, integer, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { mergeTrainControlRoutes } from './merge-train-control.routes';
import { mergeTrainStatisticsRoutes } from './merge-train-statistics.routes';

const onePath = '/projects/:id/merge_trains/merge_requests/:merge_request_iid' as const;
const mergeRequest = { merge_request_iid: integer() };
const scope = { scope: oneOf('active', 'complete').optional() };
const byId = { orderBy: [], sort: 'desc' } as const;

/**
 * Merge trains (api.md 4.1, G-4.1-1 … G-4.1-6), with the removal and the receipt that the specification has no endpoint
 * for.
 */
export const mergeTrainRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/merge_trains',
    section: 'Merge trains',
    summary: 'List the merge train entries of a project',
    access: { project: 'read_merge_train' },
    tier: 'premium',
    // A client that writes the branch as a parameter means the train of that branch.
    params: { ...scope, target_branch: text().optional() },
    list: byId,
    returns: { 200: ['MergeTrainEntry'] },
    handle: ({ params, access, page, call }) =>
      call(MergeTrainServiceService).listMergeTrainEntries({
        projectId: access.id,
        targetBranch: params.target_branch,
        page,
        scope: params.scope ?? '',
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/merge_trains/:target_branch',
    section: 'Merge trains',
    summary: 'List the merge train entries of a target branch',
    access: { project: 'read_merge_train' },
    tier: 'premium',
    path_params: { target_branch: text() },
    params: scope,
    list: byId,
    returns: { 200: ['MergeTrainEntry'] },
    handle: ({ params, path, access, page, call }) =>
      call(MergeTrainServiceService).listMergeTrainEntries({
        projectId: access.id,
        targetBranch: path.target_branch,
        page,
        scope: params.scope ?? '',
      }),
  }),
  ...mergeTrainControlRoutes,
  ...mergeTrainStatisticsRoutes,
  defineRoute({
    method: 'get',
    path: '/projects/:id/merge_trains/:target_branch/events',
    section: 'Merge trains',
    summary: 'Follow the merge train of a target branch',
    docs: {
      description:
        'Server-sent events: the train as it stands, and again after each change, each as one event `train`. A branch without a train is an empty one. A comment is sent every 15 seconds. The stream ends when its caller may no longer read the train, and when the server restarts; a reader that does not read is disconnected. Descriptions of merge requests are left out.',
      fails: [429, 503],
    },
    access: { project: 'read_merge_train' },
    tier: 'premium',
    path_params: { target_branch: text() },
    events: 'train',
    returns: { 200: 'MergeTrainView' },
    handle: async ({ path, access }) => ({
      follow: {
        subject: `${access.id} ${path.target_branch}`,
        open: (call) =>
          call(MergeTrainServiceService).watchMergeTrain({ projectId: access.id, targetBranch: path.target_branch }),
      },
    }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section: 'Merge trains',
    summary: 'Get the merge train entry of a merge request',
    access: { project: 'read_merge_train' },
    tier: 'premium',
    path_params: mergeRequest,
    returns: { 200: 'MergeTrainEntry' },
    handle: ({ path, access, call }) =>
      call(MergeTrainServiceService).getMergeTrainEntry({
        projectId: access.id,
        mergeRequestIid: path.merge_request_iid,
      }),
  }),
  defineRoute({
    method: 'post',
    path: onePath,
    section: 'Merge trains',
    summary: 'Add a merge request to the merge train of its target branch',
    docs: {
      description:
        'Put a merge request at the end of the train of its target branch; with `auto_merge` once its pipeline has succeeded (202). Each entry is tested on top of those before it, and what is merged is the commit that was tested. With `first`, for Maintainers, it goes to the front, or is moved there when it is on the train already; those behind it are tested again. A train that is draining takes no new entry (409).',
      fails: [405, 409, 422],
      example: { auto_merge: true, sha: '2f1a9c4e8b7d6053f2a1c9e8d7b6a5f4e3d2c1b0' },
    },
    access: { project: 'update_merge_train' },
    abilityWith: { first: 'admin_merge_train' },
    tier: 'premium',
    turns: 'project',
    path_params: mergeRequest,
    params: {
      sha: text().optional(),
      squash: boolean().optional(),
      when_pipeline_succeeds: boolean().optional(),
      auto_merge: boolean().optional(),
      first: documented(boolean(), { description: 'At the front of the train; for Maintainers.' }).optional(),
    },
    list: {},
    returns: { 201: ['MergeTrainEntry'], 202: ['MergeTrainEntry'] },
    handle: ({ params, path, access, page, call }) =>
      call(MergeTrainServiceService).addToMergeTrain({
        projectId: access.id,
        mergeRequestIid: path.merge_request_iid,
        sha: params.sha,
        squash: params.squash,
        autoMerge: params.auto_merge ?? params.when_pipeline_succeeds ?? false,
        first: params.first ?? false,
        page,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section: 'Merge trains',
    summary: 'Remove a merge request from its merge train',
    docs: {
      description: 'Take a merge request off its train. Those behind it are tested again without it.',
      fails: [406],
    },
    access: { project: 'update_merge_train' },
    tier: 'premium',
    path_params: mergeRequest,
    returns: { 204: undefined },
    handle: ({ path, access, call }) =>
      call(MergeTrainServiceService).removeFromMergeTrain({
        projectId: access.id,
        mergeRequestIid: path.merge_request_iid,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/receipt`,
    section: 'Merge trains',
    summary: 'Get the receipt of the landing of a merge request',
    docs: { description: 'Get what has been merged from the train: the commit, and the statuses that spoke for it.' },
    access: { project: 'read_merge_train' },
    tier: 'premium',
    path_params: mergeRequest,
    returns: { 200: 'LandingReceipt' },
    handle: ({ path, access, call }) =>
      call(MergeTrainServiceService).getLandingReceipt({
        projectId: access.id,
        mergeRequestIid: path.merge_request_iid,
      }),
  }),
];
