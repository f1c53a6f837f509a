import { MergeRequestBlockServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_block';
import { exactlyOne, mutuallyExclusive } from '../../http/check-parameters';
import { documented, integer } from '../../http/params';
import { defineRoute } from '../../http/route';

const onePath = '/projects/:id/merge_requests/:merge_request_iid' as const;
const mergeRequest = { merge_request_iid: integer() };
const blockPath = `${onePath}/blocks/:block_id` as const;
const block = { ...mergeRequest, block_id: integer() };

/** Dependencies of merge requests (G-4.2-1). */
export const mergeRequestBlockRoutes = [
  defineRoute({
    method: 'get',
    path: `${onePath}/blocks`,
    section: 'Merge requests',
    summary: 'List what a merge request depends on',
    docs: {
      description:
        'What has to be merged before. A merge request that the caller may not read is left out of its entry.',
    },
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    // One order, the oldest first.
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestBlock'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestBlockServiceService).listMergeRequestBlocks({
        projectId: access.id,
        iid: path.merge_request_iid,
        page,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/blocks`,
    section: 'Merge requests',
    summary: 'Make a merge request depend on another one',
    docs: {
      description:
        'It cannot be merged before the other one is. That one is named by its id, or by its number and its project, which is this one by default.',
      fails: [409],
      example: { blocking_merge_request_id: 128 },
    },
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: {
      blocking_merge_request_id: integer({ min: 1 }).optional(),
      blocking_merge_request_iid: integer({ min: 1 }).optional(),
      blocking_project_id: documented(integer({ min: 1 }), {
        description: 'With `blocking_merge_request_iid`.',
      }).optional(),
    },
    relations: [
      exactlyOne('blocking_merge_request_id', 'blocking_merge_request_iid'),
      mutuallyExclusive('blocking_merge_request_id', 'blocking_project_id'),
    ],
    returns: { 201: 'MergeRequestBlock' },
    handle: ({ path, params, access, call }) =>
      call(MergeRequestBlockServiceService).createMergeRequestBlock({
        projectId: access.id,
        iid: path.merge_request_iid,
        blockingId: params.blocking_merge_request_id ?? 0,
        blockingProjectId: params.blocking_project_id ?? access.id,
        blockingIid: params.blocking_merge_request_iid ?? 0,
      }),
  }),
  defineRoute({
    method: 'get',
    path: blockPath,
    section: 'Merge requests',
    summary: 'Get a dependency of a merge request',
    access: { project: 'read_merge_request' },
    path_params: block,
    returns: { 200: 'MergeRequestBlock' },
    handle: ({ path, access, call }) =>
      call(MergeRequestBlockServiceService).getMergeRequestBlock({
        projectId: access.id,
        iid: path.merge_request_iid,
        blockId: path.block_id,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: blockPath,
    section: 'Merge requests',
    summary: 'Delete a dependency of a merge request',
    docs: { fails: [412] },
    access: { project: 'update_merge_request' },
    path_params: block,
    returns: { 204: undefined },
    handle: ({ path, access, unmodifiedSince, call }) =>
      call(MergeRequestBlockServiceService).deleteMergeRequestBlock({
        projectId: access.id,
        iid: path.merge_request_iid,
        blockId: path.block_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/blockees`,
    section: 'Merge requests',
    summary: 'List what depends on a merge request',
    docs: {
      description:
        'What cannot be merged before. A merge request that the caller may not read is left out of its entry.',
    },
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    // One order, the oldest first.
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestBlockee'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestBlockServiceService).listMergeRequestBlockees({
        projectId: access.id,
        iid: path.merge_request_iid,
        page,
      }),
  }),
];
