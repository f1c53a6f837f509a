import { PackageSettingsServiceService } from '@switchyard/protos/packages/v1/package_settings';
import { atLeastOne } from '../../http/check-parameters';
import { boolean, documented, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const section = 'Packages';
const path = '/groups/:id/packages/settings' as const;

const allowed = (files: string) =>
  documented(boolean(), {
    description: `Whether ${files} may be published again; the newer one is served then.`,
  }).optional();
const exceptions = () =>
  documented(text({ max: 255 }), {
    description:
      'Regular expression (RE2) that matches the whole name or version of packages for which the opposite holds; empty for none.',
  }).optional();
const params = {
  generic_duplicates_allowed: allowed('a file of a generic package'),
  generic_duplicate_exception_regex: exceptions(),
  maven_duplicates_allowed: allowed('a file of a Maven package, metadata and snapshots always,'),
  maven_duplicate_exception_regex: exceptions(),
};

/** What a group says of the packages below it (G-4.17-10). */
export const packageSettingsRoutes = [
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'Get the package settings of a group',
    docs: { description: 'Those of the nearest group above where it has none of its own.' },
    access: { group: 'admin_group' },
    returns: { 200: 'PackageSettings' },
    handle: ({ access, call }) => call(PackageSettingsServiceService).getPackageSettings({ groupId: access.id }),
  }),
  defineRoute({
    method: 'patch',
    path,
    section,
    summary: 'Update the package settings of a group',
    docs: {
      description: 'They hold in its projects, and in those of groups below it that have none of their own.',
      example: { generic_duplicates_allowed: false, generic_duplicate_exception_regex: 'nightly|.*-dev' },
    },
    access: { group: 'admin_group' },
    params,
    relations: [atLeastOne(...Object.keys(params))],
    returns: { 200: 'PackageSettings' },
    handle: ({ access, params: sent, call }) =>
      call(PackageSettingsServiceService).updatePackageSettings({
        groupId: access.id,
        duplicates: [
          {
            format: 'generic',
            allowed: sent.generic_duplicates_allowed,
            exceptions: sent.generic_duplicate_exception_regex,
          },
          { format: 'maven', allowed: sent.maven_duplicates_allowed, exceptions: sent.maven_duplicate_exception_regex },
        ].filter((one) => one.allowed !== undefined || one.exceptions !== undefined),
      }),
  }),
];
