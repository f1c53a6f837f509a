import { documented, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { managerRead, managerWrite, toPackages } from './registry';

const section = 'Packages';
const path = '/projects/:id/packages/maven/*path' as const;
const path_params = {
  path: documented(text(), {
    minLength: 1,
    maxLength: 1_024,
    description: 'Folders of the group, the artifact, the version, then the name of the file.',
  }),
};
const docs = {
  description:
    'The newest file with this path. One that ends in `.md5`, `.sha1`, `.sha256` or `.sha512` is the digest of the file before it.',
  contentTypes: ['application/octet-stream', 'text/plain'],
};

/** Maven repositories (G-4.17-12). */
export const mavenPackageRoutes = [
  defineRoute({
    method: 'put',
    path,
    section,
    summary: 'Publish a file of a Maven repository',
    docs: {
      description:
        'The body is the file, of at most 3 GiB, or a digest (`.md5`, `.sha1`, `.sha256`, `.sha512`), which is compared with the file that is there: 409 where it differs. A file with this path that is there already stays; the new one is served from then on.',
      fails: [408, 409, 413],
    },
    access: { project: 'create_package' },
    createsNamed: true,
    ...managerWrite,
    path_params,
    streams: true,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) => toPackages(['projects', access.id, 'packages', 'maven', at.path]),
  }),
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'Get a file of a Maven repository',
    docs,
    access: { project: 'read_package' },
    ...managerRead,
    path_params,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) => toPackages(['projects', access.id, 'packages', 'maven', at.path]),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/-/packages/maven/*path',
    section,
    summary: 'Get a file of a Maven repository from the projects of a group',
    docs,
    access: { group: 'read_group_package' },
    ...managerRead,
    path_params,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) => toPackages(['groups', access.id, 'packages', 'maven', at.path]),
  }),
  defineRoute({
    method: 'get',
    path: '/packages/maven/*path',
    section,
    summary: 'Get a file of a Maven repository from all projects',
    docs,
    access: 'public',
    ...managerRead,
    path_params,
    returns: { 200: undefined },
    handle: async ({ path: at }) => toPackages(['packages', 'maven', at.path]),
  }),
];
