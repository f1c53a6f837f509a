import { RepositoryFileServiceService } from '@switchyard/protos/merge_requests/v1/repository_file';
import { boolean, documented, hash, integer, oneOf, onlyDefault, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { authorName, mailAddressOrNone } from '../field-facts';

const file = { file_path: text() };

/** A file of 100 MiB grows by a third in base64; larger ones come by push. */
const bodyLimit = 140 << 20;

const commit = {
  branch: text({ notEmpty: true }),
  start_branch: text().optional(),
  commit_message: text({ notEmpty: true }),
  author_email: documented(text(), mailAddressOrNone).optional(),
  author_name: documented(text(), authorName).optional(),
};

const content = {
  content: text(),
  encoding: oneOf('text', 'base64').optional(),
  execute_filemode: boolean().optional(),
};

const toCommit = (params: {
  branch: string;
  start_branch?: string | undefined;
  commit_message: string;
  author_email?: string | undefined;
  author_name?: string | undefined;
}) => ({
  branch: params.branch,
  startBranch: params.start_branch ?? '',
  commitMessage: params.commit_message,
  authorEmail: params.author_email ?? '',
  authorName: params.author_name ?? '',
});

const query = (values: Record<string, string | undefined>): string => {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

/**
 * Single files (G §10 Repository). Reading goes through the service's HTTP port, whose answers carry `X-Gitlab-*`
 * headers.
 */
export const fileRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/files/:file_path',
    section: 'Repository files',
    summary: 'Get a file',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: file,
    params: { ref: text({ notEmpty: true }) },
    returns: { 200: 'RepositoryFile' },
    handle: async ({ path, params, access }) => ({
      forward: {
        to: 'merge-requests',
        path: `/projects/${access.id}/files/${encodeURIComponent(path.file_path)}${query({ ref: params.ref })}`,
      },
    }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/files/:file_path/raw',
    section: 'Repository files',
    summary: 'Get the bytes of a file',
    docs: { contentTypes: ['text/plain'] },
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: file,
    params: { ref: text().optional(), lfs: onlyDefault(boolean(), false).optional() },
    returns: { 200: undefined },
    handle: async ({ path, params, access }) => ({
      forward: {
        to: 'merge-requests',
        path: `/projects/${access.id}/files/${encodeURIComponent(path.file_path)}/raw${query({ ref: params.ref })}`,
      },
    }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/files/:file_path/blame',
    section: 'Repository files',
    summary: 'Get who changed the lines of a file',
    docs: { description: 'Get the commit that last changed each line of a file, or of a range of its lines.' },
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: file,
    params: {
      ref: text({ notEmpty: true }),
      range: hash({ start: integer({ min: 1 }), end: integer({ min: 1 }) }).optional(),
    },
    returns: { 200: ['BlamedLines'] },
    handle: async ({ path, params, access }) => ({
      forward: {
        to: 'merge-requests',
        path: `/projects/${access.id}/files/${encodeURIComponent(path.file_path)}/blame${query({
          ref: params.ref,
          start: params.range?.start.toString(),
          end: params.range?.end.toString(),
        })}`,
      },
    }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/repository/files/:file_path',
    section: 'Repository files',
    summary: 'Create a file',
    docs: {
      description: 'Create a file in a commit of its own.',
      fails: [409, 422],
      example: {
        branch: 'fix-login',
        start_branch: 'main',
        commit_message: 'Describe the usage',
        content: '# Usage\n',
      },
    },
    access: { project: 'commit_code' },
    createsNamed: true,
    bodyLimit,
    path_params: file,
    params: { ...commit, ...content },
    returns: { 201: 'FileCommitted' },
    handle: ({ path, params, access, call }) =>
      call(RepositoryFileServiceService).createFile({
        projectId: access.id,
        filePath: path.file_path,
        commit: toCommit(params),
        content: params.content,
        encoding: params.encoding ?? 'text',
        executeFilemode: params.execute_filemode,
      }),
  }),
  defineRoute({
    method: 'put',
    path: '/projects/:id/repository/files/:file_path',
    section: 'Repository files',
    summary: 'Update a file',
    docs: {
      description: 'Change a file in a commit of its own.',
      fails: [409, 422],
      example: { branch: 'fix-login', commit_message: 'Describe the usage', content: '# Usage\n' },
    },
    access: { project: 'commit_code' },
    bodyLimit,
    path_params: file,
    params: { ...commit, ...content, last_commit_id: text().optional() },
    returns: { 200: 'FileCommitted' },
    handle: ({ path, params, access, call }) =>
      call(RepositoryFileServiceService).updateFile({
        projectId: access.id,
        filePath: path.file_path,
        commit: toCommit(params),
        content: params.content,
        encoding: params.encoding ?? 'text',
        executeFilemode: params.execute_filemode,
        lastCommitId: params.last_commit_id ?? '',
      }),
  }),
  defineRoute({
    method: 'delete',
    path: '/projects/:id/repository/files/:file_path',
    section: 'Repository files',
    summary: 'Delete a file',
    docs: { description: 'Delete a file in a commit of its own.', fails: [409, 422] },
    access: { project: 'commit_code' },
    path_params: file,
    params: { ...commit, last_commit_id: text().optional() },
    returns: { 204: undefined },
    handle: ({ path, params, access, call }) =>
      call(RepositoryFileServiceService).deleteFile({
        projectId: access.id,
        filePath: path.file_path,
        commit: toCommit(params),
        lastCommitId: params.last_commit_id ?? '',
      }),
  }),
];
