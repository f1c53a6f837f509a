import { PypiServiceService } from '@switchyard/protos/packages/v1/pypi';
import { documented, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { oneLineOrNone } from '../field-facts';
import { managerRead, managerWrite, registryWrite, toPackages } from './registry';

const section = 'Packages';
const path = '/projects/:id/packages/pypi' as const;
const groupPath = '/groups/:id/-/packages/pypi' as const;

const indexTypes = ['text/html', 'application/vnd.pypi.simple.v1+html', 'application/vnd.pypi.simple.v1+json'];
const ofNames = { description: 'The simple index, as HTML (PEP 503) or JSON (PEP 691).', contentTypes: indexTypes };
const ofFiles = {
  description: 'The files of all versions, as HTML (PEP 503) or JSON (PEP 691). The name may be written in any form.',
  contentTypes: indexTypes,
};
const nameParam = { name: documented(text(), { minLength: 1, maxLength: 255 }) };
const fileParams = {
  sha256: documented(text(), { minLength: 64, maxLength: 64 }),
  file_identifier: documented(text(), { minLength: 1, maxLength: 255, description: 'Name of the file.' }),
};

const yankPath = `${path}/yanks/:package_name/:package_version` as const;
const yanked = {
  package_name: documented(text(), { minLength: 1, maxLength: 255, description: 'In any spelling (PEP 503).' }),
  package_version: documented(text(), { minLength: 1, maxLength: 255, description: 'As it was published.' }),
};

/** A page of a project, which installers ask for with a slash at the end (PEP 503). */
const nameOf = ({ name }: { readonly name: string }): string => name.replace(/\/$/, '');

/** Indexes of Python packages (G-4.17-12). */
export const pypiPackageRoutes = [
  defineRoute({
    method: 'post',
    path,
    section,
    summary: 'Publish a file of a Python package',
    docs: {
      description:
        'The form of publishing tools such as twine, with a file of at most 3 GiB. What it says beside these fields is not kept. A name of a file that the version has already is refused.',
      fails: [408, 409, 413],
      example: { name: 'my-app', version: '1.0' },
    },
    access: { project: 'create_package' },
    ...managerWrite,
    upload: 'content',
    params: {
      name: documented(text(), { maxLength: 255, description: 'Required.' }).optional(),
      version: documented(text(), { maxLength: 255, description: 'Required; as in PEP 440.' }).optional(),
      requires_python: documented(text(), { maxLength: 255 }).optional(),
      sha256_digest: documented(text(), { description: 'Has to be the digest of the content.' }).optional(),
      md5_digest: documented(text(), { description: 'Has to be the digest of the content.' }).optional(),
    },
    returns: { 201: 'PublishedPypiFile' },
    handle: async ({ access, params }) => toPackages(['projects', access.id, 'packages', 'pypi'], params),
  }),
  defineRoute({
    method: 'put',
    path: yankPath,
    section,
    summary: 'Yank a version of a Python package',
    docs: {
      description:
        'Installers leave it out from then on, unless it is asked for alone (PEP 592); it has the status `deprecated`. Again with another reason changes the reason.',
    },
    access: { project: 'create_package' },
    ...registryWrite,
    path_params: yanked,
    params: {
      reason: documented(text({ max: 255, oneLine: true }), {
        ...oneLineOrNone,
        description: 'Why, one line that installers print.',
      }).default(''),
    },
    returns: { 204: undefined },
    handle: ({ access, path: at, params, call }) =>
      call(PypiServiceService).yankVersion({
        projectId: access.id,
        name: at.package_name,
        version: at.package_version,
        reason: params.reason,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: yankPath,
    section,
    summary: 'Take back the yank of a version of a Python package',
    docs: { description: 'One that is not yanked stays as it is.' },
    access: { project: 'create_package' },
    ...registryWrite,
    path_params: yanked,
    returns: { 204: undefined },
    handle: ({ access, path: at, call }) =>
      call(PypiServiceService).unyankVersion({
        projectId: access.id,
        name: at.package_name,
        version: at.package_version,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${path}/simple`,
    section,
    summary: 'List the Python packages of a project',
    docs: ofNames,
    access: { project: 'read_package' },
    ...managerRead,
    returns: { 200: undefined },
    handle: async ({ access }) => toPackages(['projects', access.id, 'packages', 'pypi', 'simple']),
  }),
  defineRoute({
    method: 'get',
    path: `${path}/simple/*name`,
    section,
    summary: 'List the files of a Python package',
    docs: ofFiles,
    access: { project: 'read_package' },
    ...managerRead,
    path_params: nameParam,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) =>
      toPackages(['projects', access.id, 'packages', 'pypi', 'simple', nameOf(at)]),
  }),
  defineRoute({
    method: 'get',
    path: `${path}/files/:sha256/*file_identifier`,
    section,
    summary: 'Get a file of a Python package',
    docs: { contentTypes: ['application/octet-stream'] },
    access: { project: 'read_package' },
    ...managerRead,
    path_params: fileParams,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) =>
      toPackages(['projects', access.id, 'packages', 'pypi', 'files', at.sha256, at.file_identifier]),
  }),
  defineRoute({
    method: 'get',
    path: `${groupPath}/simple`,
    section,
    summary: 'List the Python packages of a group',
    docs: ofNames,
    access: { group: 'read_group_package' },
    ...managerRead,
    returns: { 200: undefined },
    handle: async ({ access }) => toPackages(['groups', access.id, 'packages', 'pypi', 'simple']),
  }),
  defineRoute({
    method: 'get',
    path: `${groupPath}/simple/*name`,
    section,
    summary: 'List the files of a Python package of a group',
    docs: ofFiles,
    access: { group: 'read_group_package' },
    ...managerRead,
    path_params: nameParam,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) => toPackages(['groups', access.id, 'packages', 'pypi', 'simple', nameOf(at)]),
  }),
  defineRoute({
    method: 'get',
    path: `${groupPath}/files/:sha256/*file_identifier`,
    section,
    summary: 'Get a file of a Python package of a group',
    docs: { contentTypes: ['application/octet-stream'] },
    access: { group: 'read_group_package' },
    ...managerRead,
    path_params: fileParams,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) =>
      toPackages(['groups', access.id, 'packages', 'pypi', 'files', at.sha256, at.file_identifier]),
  }),
];
