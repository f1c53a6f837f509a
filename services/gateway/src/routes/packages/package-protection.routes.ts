import { PackageProtectionServiceService } from '@switchyard/protos/packages/v1/package_protection';
import { documented, integer, nullable, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost } from '../field-facts';

const section = 'Packages';
const path = '/projects/:id/packages/protection/rules' as const;
const onePath = `${path}/:package_protection_rule_id` as const;
const one = { package_protection_rule_id: integer({ min: 0 }) };

const pattern = () =>
  documented(text(), { ...atMost(255), description: 'Name of packages, in which `*` matches any text.' });
const type = oneOf('generic', 'npm', 'maven', 'pypi', 'helm');
const role = (act: string) =>
  documented(nullable(oneOf('maintainer', 'owner', 'admin')), {
    description: `Least role that ${act}; null for the role that always does.`,
  }).optional();
const roles = {
  minimum_access_level_for_push: role('publishes such a package'),
  minimum_access_level_for_delete: role('deletes such a package or a file of it'),
};

const given = (value: string | null | undefined): string | undefined => (value === null ? '' : value);

/** Rules by which packages are protected (G-4.17-2). */
export const packageProtectionRoutes = [
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'List the package protection rules of a project',
    access: { project: 'admin_package' },
    list: {},
    returns: { 200: ['PackageProtectionRule'] },
    handle: ({ access, page, call }) =>
      call(PackageProtectionServiceService).listPackageProtectionRules({ projectId: access.id, page }),
  }),
  defineRoute({
    method: 'post',
    path,
    section,
    summary: 'Create a package protection rule',
    docs: {
      description: 'One of the two roles is given. Where several rules match a package, each of them has to allow it.',
      fails: [422],
      example: { package_name_pattern: '@acme/*', package_type: 'npm', minimum_access_level_for_push: 'maintainer' },
    },
    access: { project: 'admin_package' },
    params: { package_name_pattern: pattern(), package_type: type, ...roles },
    returns: { 201: 'PackageProtectionRule' },
    handle: ({ access, params, call }) =>
      call(PackageProtectionServiceService).createPackageProtectionRule({
        projectId: access.id,
        packageNamePattern: params.package_name_pattern,
        packageType: params.package_type,
        pushRole: params.minimum_access_level_for_push ?? '',
        deleteRole: params.minimum_access_level_for_delete ?? '',
      }),
  }),
  defineRoute({
    method: 'patch',
    path: onePath,
    section,
    summary: 'Update a package protection rule',
    docs: { fails: [422] },
    access: { project: 'admin_package' },
    path_params: one,
    params: { package_name_pattern: pattern().optional(), package_type: type.optional(), ...roles },
    returns: { 200: 'PackageProtectionRule' },
    handle: ({ access, path: at, params, call }) =>
      call(PackageProtectionServiceService).updatePackageProtectionRule({
        projectId: access.id,
        ruleId: at.package_protection_rule_id,
        packageNamePattern: params.package_name_pattern,
        packageType: params.package_type,
        pushRole: given(params.minimum_access_level_for_push),
        deleteRole: given(params.minimum_access_level_for_delete),
      }),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section,
    summary: 'Delete a package protection rule',
    docs: { fails: [412] },
    access: { project: 'admin_package' },
    path_params: one,
    returns: { 204: undefined },
    handle: ({ access, path: at, unmodifiedSince, call }) =>
      call(PackageProtectionServiceService).deletePackageProtectionRule({
        projectId: access.id,
        ruleId: at.package_protection_rule_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
