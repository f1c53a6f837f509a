import { RepositoryServiceService } from '@switchyard/protos/merge_requests/v1/repository';
import { boolean, csv, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const sha = { sha: text() };

const archiveTypes = {
  'tar.gz': 'application/gzip',
  'tar.bz2': 'application/x-bzip2',
  zip: 'application/zip',
} as const;

/** An archive of the repository; without an ending it is a `.tar.gz`. */
const archive = (ending?: keyof typeof archiveTypes) => {
  const format = ending ?? 'tar.gz';
  return defineRoute({
    method: 'get',
    path: ending === undefined ? '/projects/:id/repository/archive' : `/projects/:id/repository/archive.${ending}`,
    section: 'Repositories',
    summary: `Get an archive of the repository${ending === undefined ? '' : ` as ${ending}`}`,
    docs: {
      description:
        'Get the files of a branch, tag or commit (`sha`; the default branch without it), or of a folder of it (`path`), streamed.',
      contentTypes: [archiveTypes[format]],
    },
    access: { project: 'read_code' },
    tokens: ['job'],
    params: { sha: text().optional(), path: text().optional() },
    returns: { 200: undefined },
    handle: async ({ params, access }) => {
      const given = Object.entries({ sha: params.sha, path: params.path }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
      );
      const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
      return { forward: { to: 'merge-requests', path: `/projects/${access.id}/archive/${format}${query}` } };
    },
  });
};

/** Trees, blobs, comparisons and archives (G §10 Repository). */
export const repositoryRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/tree',
    section: 'Repositories',
    summary: 'List a directory of the repository',
    access: { project: 'read_code' },
    tokens: ['job'],
    params: {
      ref: text().optional(),
      path: text().optional(),
      recursive: boolean().optional(),
      page_token: text().optional(),
    },
    list: { orderBy: [], keysetParameters: (cursor) => ({ page_token: cursor }) },
    returns: { 200: ['TreeEntry'] },
    handle: ({ params, access, page, call }) =>
      call(RepositoryServiceService).listTree({
        projectId: access.id,
        page: { ...page, cursor: params.page_token ?? page.cursor },
        ref: params.ref ?? '',
        path: params.path ?? '',
        recursive: params.recursive ?? false,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/blobs/:sha',
    section: 'Repositories',
    summary: 'Get a blob',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: sha,
    returns: { 200: 'Blob' },
    handle: ({ path, access, call }) => call(RepositoryServiceService).getBlob({ projectId: access.id, sha: path.sha }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/blobs/:sha/raw',
    section: 'Repositories',
    summary: 'Get the bytes of a blob',
    docs: { contentTypes: ['text/plain'] },
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: sha,
    returns: { 200: undefined },
    handle: async ({ path, access }) => ({
      forward: { to: 'merge-requests', path: `/projects/${access.id}/blobs/${encodeURIComponent(path.sha)}/raw` },
    }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/compare',
    section: 'Repositories',
    summary: 'Compare branches, tags or commits',
    access: { project: 'read_code' },
    tokens: ['job'],
    params: { from: text(), to: text(), straight: boolean().optional(), unidiff: boolean().optional() },
    returns: { 200: 'Comparison' },
    handle: ({ params, access, call }) =>
      call(RepositoryServiceService).compare({
        projectId: access.id,
        from: params.from,
        to: params.to,
        straight: params.straight ?? false,
        unidiff: params.unidiff ?? false,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/merge_base',
    section: 'Repositories',
    summary: 'Get the common ancestor of refs',
    access: { project: 'read_code' },
    tokens: ['job'],
    params: { refs: csv() },
    returns: { 200: 'Commit' },
    handle: ({ params, access, call }) =>
      call(RepositoryServiceService).getMergeBase({ projectId: access.id, refs: params.refs }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/contributors',
    section: 'Repositories',
    summary: 'List contributors',
    access: { project: 'read_code' },
    tokens: ['job'],
    params: { ref: text().optional() },
    list: { orderBy: ['commits', 'name', 'email'], sort: 'asc' },
    returns: { 200: ['Contributor'] },
    handle: ({ params, access, page, call }) =>
      call(RepositoryServiceService).listContributors({ projectId: access.id, page, ref: params.ref ?? '' }),
  }),
  archive(),
  archive('tar.gz'),
  archive('tar.bz2'),
  archive('zip'),
];
