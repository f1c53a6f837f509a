import { PackageServiceService } from '@switchyard/protos/packages/v1/package';
import { boolean, documented, integer, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost } from '../field-facts';
import { registryRead, toPackages } from './registry';

const section = 'Packages';
const path = '/projects/:id/packages' as const;
const onePath = `${path}/:package_id` as const;
const filesPath = `${onePath}/package_files` as const;
const oneFilePath = `${filesPath}/:package_file_id` as const;
const one = { package_id: integer({ min: 0 }) };
const oneFile = { ...one, package_file_id: integer({ min: 0 }) };

/** All that packages can be (G-2-34), those that no format here publishes too: a client that asks for them gets none. */
const types = [
  'conan',
  'maven',
  'npm',
  'pypi',
  'composer',
  'nuget',
  'helm',
  'golang',
  'generic',
  'debian',
  'rubygems',
  'rpm',
  'ml_model',
  'cargo',
] as const;

const filterOf = (packageType: ReturnType<typeof oneOf>) => ({
  package_type: packageType.optional(),
  package_name: documented(text(), { ...atMost(255), description: 'Part of the name, in any case.' }).optional(),
  package_version: documented(text(), {
    ...atMost(255),
    description: 'The version, as written; leaves out packages without one.',
  }).optional(),
  include_versionless: boolean().default(false),
  status: oneOf('default', 'hidden', 'processing', 'error', 'pending_destruction', 'deprecated').optional(),
});

const projectFilter = filterOf(oneOf(...types, 'terraform_module'));
/** api.md 4.17: without `terraform_module`. */
const groupFilter = filterOf(oneOf(...types));

const toFilter = (params: {
  package_type?: string | undefined;
  package_name?: string | undefined;
  package_version?: string | undefined;
  include_versionless: boolean;
  status?: string | undefined;
}) => ({
  packageType: params.package_type ?? '',
  packageName: params.package_name ?? '',
  packageVersion: params.package_version,
  includeVersionless: params.include_versionless,
  status: params.status ?? '',
});

/** Packages of every format (api.md 4.17). */
export const packageRoutes = [
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'List the packages of a project',
    access: { project: 'read_package' },
    ...registryRead,
    params: projectFilter,
    list: { orderBy: ['created_at', 'name', 'version', 'type'], sort: 'asc' },
    returns: { 200: ['Package'] },
    handle: ({ access, params, page, call }) =>
      call(PackageServiceService).listProjectPackages({ projectId: access.id, filter: toFilter(params), page }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/packages',
    section,
    summary: 'List the packages of a group',
    docs: { description: 'Packages of the projects below the group whose packages the caller may read.' },
    access: { group: 'read_group_package' },
    ...registryRead,
    params: { ...groupFilter, exclude_subgroups: boolean().default(false) },
    list: { orderBy: ['created_at', 'name', 'version', 'type', 'project_path'], sort: 'asc' },
    returns: { 200: ['GroupPackage'] },
    handle: ({ access, params, page, call }) =>
      call(PackageServiceService).listGroupPackages({
        groupId: access.id,
        filter: toFilter(params),
        excludeSubgroups: params.exclude_subgroups,
        page,
      }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section,
    summary: 'Get a package',
    access: { project: 'read_package' },
    ...registryRead,
    path_params: one,
    returns: { 200: 'PackageWithVersions' },
    handle: ({ access, path: at, call }) =>
      call(PackageServiceService).getPackage({ projectId: access.id, packageId: at.package_id }),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section,
    summary: 'Delete a package',
    docs: { fails: [412] },
    access: { project: 'delete_package' },
    path_params: one,
    returns: { 204: undefined },
    handle: ({ access, path: at, unmodifiedSince, call }) =>
      call(PackageServiceService).deletePackage({
        projectId: access.id,
        packageId: at.package_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/pipelines`,
    section,
    summary: 'List the pipelines of a package',
    docs: {
      description:
        'Pipelines whose job tokens published it, newest first, 20 at most on a page. They are for who may read pipelines; those that are gone are left out.',
    },
    access: { project: 'read_package' },
    tokens: ['job'],
    path_params: one,
    list: { orderBy: [], keysetUpTo: 20 },
    returns: { 200: ['PackagePipeline'] },
    handle: ({ access, path: at, page, call }) =>
      call(PackageServiceService).listPackagePipelines({ projectId: access.id, packageId: at.package_id, page }),
  }),
  defineRoute({
    method: 'get',
    path: filesPath,
    section,
    summary: 'List the files of a package',
    access: { project: 'read_package' },
    ...registryRead,
    path_params: one,
    list: { orderBy: ['id', 'created_at', 'file_name'], sort: 'asc' },
    returns: { 200: ['PackageFile'] },
    handle: ({ access, path: at, page, call }) =>
      call(PackageServiceService).listPackageFiles({ projectId: access.id, packageId: at.package_id, page }),
  }),
  defineRoute({
    method: 'get',
    path: `${oneFilePath}/download`,
    section,
    summary: 'Download a file of a package',
    docs: { contentTypes: ['application/octet-stream'] },
    access: { project: 'read_package' },
    ...registryRead,
    path_params: oneFile,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) =>
      toPackages([
        ...['projects', access.id, 'packages', at.package_id],
        ...['package_files', at.package_file_id, 'download'],
      ]),
  }),
  defineRoute({
    method: 'delete',
    path: oneFilePath,
    section,
    summary: 'Delete a file of a package',
    docs: { fails: [412] },
    access: { project: 'delete_package' },
    path_params: oneFile,
    returns: { 204: undefined },
    handle: ({ access, path: at, unmodifiedSince, call }) =>
      call(PackageServiceService).deletePackageFile({
        projectId: access.id,
        packageId: at.package_id,
        packageFileId: at.package_file_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
