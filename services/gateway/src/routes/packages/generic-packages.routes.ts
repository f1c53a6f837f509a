import { documented, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { managerRead, managerWrite, toPackages } from './registry';

const section = 'Packages';
const path = '/projects/:id/packages/generic/:package_name/:package_version/*file_path' as const;

const name = () => documented(text(), { pattern: '^[A-Za-z0-9._+-]+$', minLength: 1, maxLength: 255 });
const path_params = {
  package_name: name(),
  package_version: name(),
  file_path: documented(text(), { minLength: 1, maxLength: 255, description: 'Folders, then the name of the file.' }),
};

/** Files by the name and version of their package (G-4.17-10, G-4.17-11). */
export const genericPackageRoutes = [
  defineRoute({
    method: 'put',
    path,
    section,
    summary: 'Publish a file of a generic package',
    docs: {
      description:
        'The body is the file, of at most 5 GiB. A file with this name that is there already stays; the new one is served from then on, unless the settings of a group forbid that (400). With an `X-Checksum-SHA256` of another file nothing is kept (400).',
      fails: [408, 413],
    },
    access: { project: 'create_package' },
    createsNamed: true,
    ...managerWrite,
    path_params,
    streams: true,
    params: {
      status: oneOf('default', 'hidden').optional(),
      select: documented(oneOf('package_file'), { description: 'Answer with the record of the file.' }).optional(),
    },
    returns: { 201: 'PublishedGenericFile' },
    handle: async ({ access, path: at, params }) =>
      toPackages(
        ['projects', access.id, 'packages', 'generic', at.package_name, at.package_version, at.file_path],
        params,
      ),
  }),
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'Get a file of a generic package',
    docs: {
      description: 'The newest file with this name. `X-Checksum-SHA256` has its digest; ranges are served.',
      contentTypes: ['application/octet-stream'],
    },
    access: { project: 'read_package' },
    ...managerRead,
    path_params,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) =>
      toPackages(['projects', access.id, 'packages', 'generic', at.package_name, at.package_version, at.file_path]),
  }),
];
