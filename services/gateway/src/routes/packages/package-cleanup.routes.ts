import { PackageCleanupServiceService } from '@switchyard/protos/packages/v1/package_cleanup';
import { atLeastOne } from '../../http/check-parameters';
import { documented, integer, nullable } from '../../http/params';
import { defineRoute } from '../../http/route';

const section = 'Packages';
const path = '/projects/:id/packages/cleanup/policy' as const;

const number = (max: number, description: string) =>
  documented(nullable(integer({ min: 1, max })), { description }).optional();
const params = {
  keep_n_duplicated_package_files: number(1_000, 'Newest files that a package keeps of each name; null for all.'),
  keep_n_versions: number(1_000, 'Newest versions that are kept of a package, whatever their age; null for no number.'),
  older_than_days: number(
    3_650,
    'Days since the last download, or else the publication, after which a version goes; null for whatever its age.',
  ),
};

/** The service takes 0 for null. */
const given = (value: number | null | undefined): number | undefined => (value === null ? 0 : value);

/** What the packages of a project keep. */
export const packageCleanupRoutes = [
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'Get the package cleanup policy of a project',
    access: { project: 'admin_package' },
    returns: { 200: 'PackageCleanupPolicy' },
    handle: ({ access, call }) => call(PackageCleanupServiceService).getPackageCleanupPolicy({ projectId: access.id }),
  }),
  defineRoute({
    method: 'patch',
    path,
    section,
    summary: 'Update the package cleanup policy of a project',
    docs: {
      description:
        'It runs at once and then once a day. Where a number of versions and an age are given, a version goes when it is neither among the newest nor young enough. What a protection rule keeps from Maintainers stays.',
      example: { keep_n_duplicated_package_files: 1, keep_n_versions: 10, older_than_days: 90 },
    },
    access: { project: 'admin_package' },
    params,
    relations: [atLeastOne(...Object.keys(params))],
    returns: { 200: 'PackageCleanupPolicy' },
    handle: ({ access, params: sent, call }) =>
      call(PackageCleanupServiceService).updatePackageCleanupPolicy({
        projectId: access.id,
        keepFiles: given(sent.keep_n_duplicated_package_files),
        keepVersions: given(sent.keep_n_versions),
        olderThanDays: given(sent.older_than_days),
      }),
  }),
];
