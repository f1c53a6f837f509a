import { MergeRequestServiceService } from '@switchyard/protos/merge_requests/v1/merge_request';
import { MergeRequestEventServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_event';
import { MergeRequestTimelogServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_timelog';
import { atLeastOne } from '../../http/check-parameters';
import { boolean, dateTime, documented, integer, integers, nullable, oneOf, text, texts } from '../../http/params';
import { defineRoute } from '../../http/route';
import { oneLine } from '../field-facts';
import { changedFields, newFields, positive, sharedFields } from '../issuable-fields';
import { resourceEventRoutes } from '../resource-events';
import { timeTrackingRoutes } from '../time-tracking';

const mergeRequest = { merge_request_iid: integer() };
const projectPath = '/projects/:id/merge_requests' as const;
const onePath = `${projectPath}/:merge_request_iid` as const;

const fields = {
  ...sharedFields,
  reviewer_ids: integers({ min: 0 }).optional(),
  remove_source_branch: boolean().optional(),
  allow_collaboration: boolean().optional(),
  allow_maintainer_to_push: boolean().optional(),
  squash: boolean().optional(),
  merge_after: nullable(dateTime()).optional(),
};

const updatable = [
  'add_labels',
  'allow_collaboration',
  'allow_maintainer_to_push',
  'assignee_id',
  'assignee_ids',
  'description',
  'discussion_locked',
  'labels',
  'merge_after',
  'milestone_id',
  'remove_labels',
  'remove_source_branch',
  'reviewer_ids',
  'squash',
  'state_event',
  'target_branch',
  'title',
];

const reviewersOf = (ids: readonly number[] | undefined) => (ids === undefined ? undefined : { ids: positive(ids) });

/** Merge requests (api.md 4.2, G-4.2-1). */
export const mergeRequestRoutes = [
  defineRoute({
    method: 'post',
    path: projectPath,
    section: 'Merge requests',
    summary: 'Create a merge request',
    docs: {
      fails: [409, 422],
      example: { source_branch: 'fix-login', target_branch: 'main', title: 'Repair the login page' },
    },
    access: { project: 'create_merge_request' },
    params: {
      source_branch: text({ notEmpty: true }),
      target_branch: text({ notEmpty: true }),
      title: documented(text({ notEmpty: true }), oneLine),
      target_project_id: integer().optional(),
      ...fields,
      approvals_before_merge: integer({ min: 0, max: 100 }).optional(),
    },
    returns: { 201: 'MergeRequest' },
    handle: ({ params, access, call }) =>
      call(MergeRequestServiceService).createMergeRequest({
        projectId: access.id,
        targetProjectId: params.target_project_id ?? 0,
        sourceBranch: params.source_branch,
        targetBranch: params.target_branch,
        title: params.title,
        ...newFields(params),
        reviewerIds: positive(params.reviewer_ids ?? []),
        removeSourceBranch: params.remove_source_branch,
        squash: params.squash,
        allowCollaboration: params.allow_collaboration ?? params.allow_maintainer_to_push ?? false,
        mergeAfter: params.merge_after ?? undefined,
        approvalsBeforeMerge: params.approvals_before_merge,
      }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section: 'Merge requests',
    summary: 'Get a merge request',
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: mergeRequest,
    params: {
      render_html: boolean().default(false),
      include_diverged_commits_count: boolean().default(false),
      include_rebase_in_progress: boolean().default(false),
    },
    returns: { 200: 'MergeRequest' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).getMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        renderHtml: params.render_html,
        includeDivergedCommitsCount: params.include_diverged_commits_count,
        includeRebaseInProgress: params.include_rebase_in_progress,
      }),
  }),
  defineRoute({
    method: 'put',
    path: onePath,
    section: 'Merge requests',
    summary: 'Update a merge request',
    docs: {
      description: 'Update a merge request, or close and reopen it. At least one parameter must be sent.',
      fails: [409, 422],
      example: { title: 'Draft: Repair the login page' },
    },
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: {
      title: documented(text({ notEmpty: true }), oneLine).optional(),
      target_branch: text({ notEmpty: true }).optional(),
      state_event: oneOf('close', 'reopen').optional(),
      discussion_locked: boolean().optional(),
      ...fields,
    },
    relations: [atLeastOne(...updatable)],
    returns: { 200: 'MergeRequest' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).updateMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        title: params.title,
        targetBranch: params.target_branch,
        stateEvent: params.state_event,
        ...changedFields(params),
        reviewerIds: reviewersOf(params.reviewer_ids),
        discussionLocked: params.discussion_locked,
        removeSourceBranch: params.remove_source_branch,
        squash: params.squash,
        allowCollaboration: params.allow_collaboration ?? params.allow_maintainer_to_push,
        mergeAfter: params.merge_after ?? undefined,
        clearMergeAfter: params.merge_after === null,
        strict: false,
        addAssigneeIds: [],
        removeAssigneeIds: [],
      }),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section: 'Merge requests',
    summary: 'Delete a merge request',
    docs: { fails: [409, 412] },
    access: { project: 'delete_merge_request' },
    path_params: mergeRequest,
    returns: { 204: undefined },
    handle: ({ path, access, unmodifiedSince, call }) =>
      call(MergeRequestServiceService).deleteMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'put',
    path: `${onePath}/merge`,
    section: 'Merge requests',
    summary: 'Merge a merge request',
    docs: {
      description:
        'Merge at once, or with `auto_merge` when its pipeline has succeeded. In a project with merge trains that wish puts it on the train.',
      fails: [405, 406, 409, 422],
      example: { sha: '2f1a9c4e8b7d6053f2a1c9e8d7b6a5f4e3d2c1b0', auto_merge: true },
    },
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: {
      merge_commit_message: text().optional(),
      squash_commit_message: text().optional(),
      squash: boolean().optional(),
      should_remove_source_branch: boolean().optional(),
      merge_when_pipeline_succeeds: boolean().optional(),
      auto_merge: boolean().optional(),
      sha: text().optional(),
      skip_merge_train: boolean().default(false),
    },
    returns: { 200: 'MergeRequest' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).mergeMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        mergeCommitMessage: params.merge_commit_message ?? '',
        squashCommitMessage: params.squash_commit_message ?? '',
        squash: params.squash,
        shouldRemoveSourceBranch: params.should_remove_source_branch,
        autoMerge: params.auto_merge ?? params.merge_when_pipeline_succeeds ?? false,
        sha: params.sha ?? '',
        skipMergeTrain: params.skip_merge_train,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/cancel_merge_when_pipeline_succeeds`,
    section: 'Merge requests',
    summary: 'Cancel auto-merge',
    docs: {
      description: 'Take back the wish to merge when the pipeline has succeeded; also takes it off its train.',
      fails: [406],
    },
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    returns: { 201: 'AutoMergeCanceled' },
    handle: ({ path, access, call }) =>
      call(MergeRequestServiceService).cancelAutoMerge({ projectId: access.id, iid: path.merge_request_iid }),
  }),
  defineRoute({
    method: 'put',
    path: `${onePath}/rebase`,
    section: 'Merge requests',
    summary: 'Rebase a merge request',
    docs: {
      description:
        'Replay the source branch on the target branch, in the background. With `skip_ci` the new head gets a pipeline with the status `skipped`, which `allow_merge_on_skipped_pipeline` is about.',
      fails: [409],
      example: { skip_ci: false },
    },
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: { skip_ci: boolean().default(false) },
    returns: { 202: 'RebaseStarted' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).rebaseMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        skipCi: params.skip_ci,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/merge_ref`,
    section: 'Merge requests',
    summary: 'Get the commit a merge would give',
    docs: { description: 'Get the commit that a merge would give now; it is made when it is not there.' },
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: mergeRequest,
    returns: { 200: 'MergeRef' },
    handle: ({ path, access, call }) =>
      call(MergeRequestServiceService).getMergeRef({ projectId: access.id, iid: path.merge_request_iid }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/commits`,
    section: 'Merge requests',
    summary: 'List commits of a merge request',
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['Commit'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestServiceService).listMergeRequestCommits({
        projectId: access.id,
        iid: path.merge_request_iid,
        page,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/context_commits`,
    section: 'Merge requests',
    summary: 'List context commits of a merge request',
    docs: { description: 'List the commits that a merge request shows beside its own; newest first.' },
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['Commit'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestServiceService).listContextCommits({ projectId: access.id, iid: path.merge_request_iid, page }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/context_commits`,
    section: 'Merge requests',
    summary: 'Create context commits of a merge request',
    docs: { description: 'Add commits that a merge request shows beside its own; at most 20 at once, and 500 in all.' },
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: { commits: texts() },
    returns: { 201: ['Commit'] },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).addContextCommits({
        projectId: access.id,
        iid: path.merge_request_iid,
        commits: params.commits,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: `${onePath}/context_commits`,
    section: 'Merge requests',
    summary: 'Delete context commits of a merge request',
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: { commits: texts() },
    returns: { 204: undefined },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).removeContextCommits({
        projectId: access.id,
        iid: path.merge_request_iid,
        commits: params.commits,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/diffs`,
    section: 'Merge requests',
    summary: 'List diffs of a merge request',
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: mergeRequest,
    params: { unidiff: boolean().default(false) },
    list: { orderBy: [] },
    returns: { 200: ['RepositoryDiff'] },
    handle: ({ params, path, access, page, call }) =>
      call(MergeRequestServiceService).listMergeRequestDiffs({
        projectId: access.id,
        iid: path.merge_request_iid,
        page,
        unidiff: params.unidiff,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/raw_diffs`,
    section: 'Merge requests',
    summary: 'Get the raw diff of a merge request',
    docs: { description: 'Get the diff of a merge request as `git diff` prints it.', contentTypes: ['text/plain'] },
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: mergeRequest,
    returns: { 200: undefined },
    handle: async ({ path, access }) => ({
      forward: {
        to: 'merge-requests',
        path: `/projects/${access.id}/merge_requests/${path.merge_request_iid}/raw_diffs`,
      },
    }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/changes`,
    section: 'Merge requests',
    summary: 'Get a merge request with its changes',
    docs: { description: 'Get a merge request with its diffs. Lists of diffs are paged and so cheaper.' },
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: mergeRequest,
    params: { access_raw_diffs: boolean().optional(), unidiff: boolean().default(false) },
    returns: { 200: 'MergeRequestChanges' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).getMergeRequestChanges({
        projectId: access.id,
        iid: path.merge_request_iid,
        unidiff: params.unidiff,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/versions`,
    section: 'Merge requests',
    summary: 'List diff versions of a merge request',
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestVersion'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestServiceService).listMergeRequestVersions({
        projectId: access.id,
        iid: path.merge_request_iid,
        page,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/versions/:version_id`,
    section: 'Merge requests',
    summary: 'Get a diff version of a merge request',
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: { ...mergeRequest, version_id: integer() },
    params: { unidiff: boolean().default(false) },
    returns: { 200: 'MergeRequestVersionDetails' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).getMergeRequestVersion({
        projectId: access.id,
        iid: path.merge_request_iid,
        versionId: path.version_id,
        unidiff: params.unidiff,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/participants`,
    section: 'Merge requests',
    summary: 'List participants of a merge request',
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestUser'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestServiceService).listParticipants({ projectId: access.id, iid: path.merge_request_iid, page }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/reviewers`,
    section: 'Merge requests',
    summary: 'List reviewers of a merge request',
    access: { project: 'read_merge_request' },
    tokens: ['job'],
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestReviewer'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestServiceService).listReviewers({ projectId: access.id, iid: path.merge_request_iid, page }),
  }),
  ...(['subscribe', 'unsubscribe'] as const).map((verb) =>
    defineRoute({
      method: 'post',
      path: `${onePath}/${verb}`,
      section: 'Merge requests',
      summary: verb === 'subscribe' ? 'Subscribe to a merge request' : 'Unsubscribe from a merge request',
      access: { project: 'update_merge_request' },
      path_params: mergeRequest,
      returns: { 201: 'MergeRequest', 304: undefined },
      handle: ({ path, access, call }) =>
        call(MergeRequestServiceService).setSubscription({
          projectId: access.id,
          iid: path.merge_request_iid,
          subscribed: verb === 'subscribe',
        }),
    }),
  ),
  ...resourceEventRoutes({
    path: onePath,
    section: 'Merge requests',
    iid: 'merge_request_iid',
    name: 'a merge request',
    read: 'read_merge_request',
    list: (call, request) => call(MergeRequestEventServiceService).listMergeRequestEvents(request),
    get: (call, request) => call(MergeRequestEventServiceService).getMergeRequestEvent(request),
  }),
  ...timeTrackingRoutes({
    path: onePath,
    section: 'Merge requests',
    iid: 'merge_request_iid',
    name: 'a merge request',
    read: 'read_merge_request',
    write: 'update_merge_request',
    component: 'MergeRequestTimeStats',
    stats: (call, key) => call(MergeRequestServiceService).getMergeRequestTimeStats(key),
    track: (call, request) => call(MergeRequestServiceService).trackMergeRequestTime({ ...request, cause: '' }),
    timelogs: (call, request) => call(MergeRequestTimelogServiceService).listMergeRequestTimelogs(request),
    deleteTimelog: (call, request) => call(MergeRequestTimelogServiceService).deleteMergeRequestTimelog(request),
  }),
];
