import { CommitServiceService } from '@switchyard/protos/merge_requests/v1/commit';
import { MergeRequestServiceService } from '@switchyard/protos/merge_requests/v1/merge_request';
import { mutuallyExclusive } from '../../http/check-parameters';
import { boolean, dateTime, documented, hashes, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { authorName, mailAddressOrNone } from '../field-facts';

const sha = { sha: text() };

/** Actions of one commit at the most; more belong in a push. */
const bodyLimit = 64 << 20;

const picking = ({
  verb,
  summary,
  description,
}: {
  verb: 'cherry_pick' | 'revert';
  summary: string;
  description: string;
}) =>
  defineRoute({
    method: 'post',
    path: `/projects/:id/repository/commits/:sha/${verb}`,
    section: 'Commits',
    summary,
    docs: { description, example: { branch: 'main' } },
    access: { project: 'commit_code' },
    path_params: sha,
    params: { branch: text({ notEmpty: true }), dry_run: boolean().default(false), message: text().optional() },
    returns: { 200: 'PickedDry', 201: 'Commit' },
    handle: ({ path, params, access, call }) => {
      const commits = call(CommitServiceService);
      const wanted = {
        projectId: access.id,
        sha: path.sha,
        branch: params.branch,
        dryRun: params.dry_run,
        message: params.message ?? '',
      };
      return verb === 'revert' ? commits.revertCommit(wanted) : commits.cherryPickCommit(wanted);
    },
  });

/** Commits of a repository (G §10 Repository). */
export const commitRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/commits',
    section: 'Commits',
    summary: 'List commits',
    access: { project: 'read_code' },
    tokens: ['job'],
    params: {
      ref_name: text().optional(),
      since: dateTime().optional(),
      until: dateTime().optional(),
      path: text().optional(),
      author: text().optional(),
      all: boolean().optional(),
      with_stats: boolean().optional(),
      first_parent: boolean().optional(),
      order: oneOf('default', 'topo').optional(),
      trailers: boolean().optional(),
    },
    // G-1-20: the one list that refuses a page below 1 instead of taking it for the first.
    relations: [(sent) => (Number(sent.page) < 1 ? 'page does not have a valid value' : undefined)],
    list: { orderBy: [] },
    returns: { 200: ['Commit'] },
    handle: ({ params, access, page, call }) =>
      call(CommitServiceService).listCommits({
        projectId: access.id,
        page,
        refName: params.ref_name ?? '',
        since: params.since,
        until: params.until,
        path: params.path ?? '',
        author: params.author ?? '',
        all: params.all ?? false,
        withStats: params.with_stats ?? false,
        firstParent: params.first_parent ?? false,
        trailers: params.trailers ?? false,
        topoOrder: params.order === 'topo',
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/repository/commits',
    section: 'Commits',
    summary: 'Create a commit with files and actions',
    docs: {
      description: 'Create, change, move and delete files in one commit.',
      fails: [409, 422],
      example: {
        branch: 'fix-login',
        start_branch: 'main',
        commit_message: 'Describe the usage',
        actions: [{ action: 'create', file_path: 'docs/usage.md', content: '# Usage\n' }],
      },
    },
    access: { project: 'commit_code' },
    bodyLimit,
    params: {
      branch: text({ notEmpty: true }),
      commit_message: text({ notEmpty: true }),
      actions: hashes({
        action: oneOf('create', 'update', 'move', 'delete', 'chmod'),
        file_path: text({ notEmpty: true }),
        previous_path: text().optional(),
        content: text().optional(),
        encoding: oneOf('text', 'base64').optional(),
        last_commit_id: text().optional(),
        execute_filemode: boolean().optional(),
      }),
      start_branch: text().optional(),
      start_sha: text().optional(),
      author_email: documented(text(), mailAddressOrNone).optional(),
      author_name: documented(text(), authorName).optional(),
      force: boolean().optional(),
      stats: boolean().optional(),
    },
    relations: [mutuallyExclusive('start_branch', 'start_sha')],
    returns: { 201: 'CommitDetail' },
    handle: ({ params, access, call }) =>
      call(CommitServiceService).createCommit({
        projectId: access.id,
        branch: params.branch,
        commitMessage: params.commit_message,
        actions: params.actions.map((action) => ({
          action: action.action,
          filePath: action.file_path,
          previousPath: action.previous_path ?? '',
          content: action.content,
          encoding: action.encoding ?? 'text',
          lastCommitId: action.last_commit_id ?? '',
          executeFilemode: action.execute_filemode,
        })),
        startBranch: params.start_branch ?? '',
        startSha: params.start_sha ?? '',
        authorEmail: params.author_email ?? '',
        authorName: params.author_name ?? '',
        force: params.force ?? false,
        stats: params.stats ?? true,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/commits/:sha',
    section: 'Commits',
    summary: 'Get a commit',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: sha,
    params: { stats: boolean().optional() },
    returns: { 200: 'CommitDetail' },
    handle: ({ path, params, access, call }) =>
      call(CommitServiceService).getCommit({ projectId: access.id, sha: path.sha, stats: params.stats ?? true }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/commits/:sha/diff',
    section: 'Commits',
    summary: 'Get the diff of a commit',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: sha,
    params: { unidiff: boolean().optional() },
    list: { orderBy: [] },
    returns: { 200: ['RepositoryDiff'] },
    handle: ({ path, params, access, page, call }) =>
      call(CommitServiceService).listCommitDiffs({
        projectId: access.id,
        sha: path.sha,
        page,
        unidiff: params.unidiff ?? false,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/commits/:sha/refs',
    section: 'Commits',
    summary: 'List branches and tags that contain a commit',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: sha,
    params: { type: oneOf('branch', 'tag', 'all').optional() },
    list: { orderBy: [] },
    returns: { 200: ['CommitRef'] },
    handle: ({ path, params, access, page, call }) =>
      call(CommitServiceService).listCommitRefs({
        projectId: access.id,
        sha: path.sha,
        type: params.type ?? 'all',
        page,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/commits/:sha/merge_requests',
    section: 'Commits',
    summary: 'List merge requests of a commit',
    docs: { description: 'List the merge requests that brought a commit, or that landed as it; newest first.' },
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: sha,
    params: { state: oneOf('opened', 'closed', 'locked', 'merged').optional() },
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestItem'] },
    handle: ({ path, params, access, page, call }) =>
      call(MergeRequestServiceService).listCommitMergeRequests({
        projectId: access.id,
        sha: path.sha,
        state: params.state ?? '',
        page: { ...page, orderBy: 'created_at', descending: true },
      }),
  }),
  picking({
    verb: 'cherry_pick',
    summary: 'Cherry-pick a commit',
    description:
      'Apply a commit to a branch in a commit of its own; of a merge, its change against the first parent. With `dry_run` nothing is written. A commit that cannot be applied answers 400 with `error_code` `conflict` or `empty`.',
  }),
  picking({
    verb: 'revert',
    summary: 'Revert a commit',
    description:
      'Take a commit back on a branch in a commit of its own. With `dry_run` nothing is written. A commit that cannot be taken back answers 400 with `error_code` `conflict` or `empty`.',
  }),
];
