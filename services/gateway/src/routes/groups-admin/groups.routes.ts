import { GroupServiceService, type GroupSettings } from '@switchyard/protos/groups_admin/v1/group';
import type { z } from 'zod';
import { refuseDeepOffset } from '../../http/page';
import {
  boolean,
  date,
  documented,
  forAdministrators,
  hash,
  hashes,
  integer,
  integers,
  nullable,
  oneOf,
  oneOfIntegers,
  onlyDefault,
  text,
  unsupported,
} from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, displayName, pathPart, refName } from '../field-facts';

const visibility = () => oneOf('private', 'internal', 'public');

const protectedLevels = () => hashes({ access_level: oneOfIntegers(0, 30, 40, 60) });

// What protects people and their work is refused until something enforces it. What concerns features that do not exist
// (runners, wikis, LFS, sharing, assistants) is stored and shown: there is nothing it could fail to protect.
const settings = {
  description: documented(nullable(text()), atMost(500)).optional(),
  visibility: visibility().optional(),
  share_with_group_lock: boolean().optional(),
  require_two_factor_authentication: onlyDefault(boolean(), false).optional(),
  two_factor_grace_period: integer({ min: 0, max: 2_147_483_647 }).optional(),
  project_creation_level: oneOf('noone', 'owner', 'maintainer', 'developer', 'administrator').optional(),
  auto_devops_enabled: boolean().optional(),
  subgroup_creation_level: oneOf('owner', 'maintainer').optional(),
  emails_disabled: onlyDefault(boolean(), false).optional(),
  emails_enabled: onlyDefault(boolean(), true).optional(),
  mentions_disabled: onlyDefault(boolean(), false).optional(),
  lfs_enabled: boolean().optional(),
  request_access_enabled: boolean().optional(),
  default_branch: documented(nullable(text()), refName).optional(),
  default_branch_protection: onlyDefault(oneOfIntegers(0, 1, 2, 3, 4), 2).optional(),
  default_branch_protection_defaults: hash({
    allowed_to_push: onlyDefault(protectedLevels(), [{ access_level: 40 }]).optional(),
    allow_force_push: onlyDefault(boolean(), false).optional(),
    allowed_to_merge: onlyDefault(protectedLevels(), [{ access_level: 40 }]).optional(),
    developer_can_initial_push: onlyDefault(boolean(), false).optional(),
  }).optional(),
  enabled_git_access_protocol: onlyDefault(oneOf('ssh', 'http', 'all'), 'all').optional(),
  membership_lock: onlyDefault(boolean(), false).optional(),
  shared_runners_minutes_limit: nullable(integer({ min: 0, max: 2_147_483_647 })).optional(),
  extra_shared_runners_minutes_limit: nullable(integer({ min: 0, max: 2_147_483_647 })).optional(),
  wiki_access_level: oneOf('disabled', 'private', 'enabled').optional(),
  experiment_features_enabled: boolean().optional(),
  assistant_availability: oneOf('default_on', 'default_off', 'never_on').optional(),
  duo_availability: oneOf('default_on', 'default_off', 'never_on').optional(),
  assistant_features_enabled: boolean().optional(),
  duo_features_enabled: boolean().optional(),
  lock_assistant_features_enabled: boolean().optional(),
  lock_duo_features_enabled: boolean().optional(),
  prevent_sharing_groups_outside_hierarchy: boolean().optional(),
  shared_runners_setting: oneOf(
    'enabled',
    'disabled_and_overridable',
    'disabled_with_override',
    'disabled_and_unoverridable',
  ).optional(),
  file_template_project_id: nullable(integer({ min: 1 })).optional(),
  ip_restriction_ranges: onlyDefault(nullable(text()), null).optional(),
  allowed_email_domains_list: onlyDefault(nullable(text()), null).optional(),
  math_rendering_limits_enabled: boolean().optional(),
  lock_math_rendering_limits_enabled: boolean().optional(),
  max_artifacts_size: integer({ min: 0, max: 2_147_483_647 }).optional(),
};

type Settings = z.infer<z.ZodObject<typeof settings>> & { name?: string; path?: string };

const levelsOf = (given: { access_level: number }[] | undefined): number[] =>
  (given ?? []).map((one) => one.access_level);

const cleared = <T, C>(value: T | null | undefined, clear: C): T | C | undefined => (value === null ? clear : value);

const toSettings = (given: Settings): GroupSettings => {
  const protection = given.default_branch_protection_defaults;
  return {
    name: given.name,
    path: given.path,
    description: cleared(given.description, ''),
    visibility: given.visibility,
    shareWithGroupLock: given.share_with_group_lock,
    requireTwoFactorAuthentication: given.require_two_factor_authentication,
    twoFactorGracePeriod: given.two_factor_grace_period,
    projectCreationLevel: given.project_creation_level,
    autoDevopsEnabled: given.auto_devops_enabled,
    subgroupCreationLevel: given.subgroup_creation_level,
    emailsEnabled: given.emails_enabled ?? (given.emails_disabled === undefined ? undefined : !given.emails_disabled),
    mentionsDisabled: given.mentions_disabled,
    lfsEnabled: given.lfs_enabled,
    requestAccessEnabled: given.request_access_enabled,
    defaultBranch: cleared(given.default_branch, ''),
    defaultBranchProtection: given.default_branch_protection,
    enabledGitAccessProtocol: given.enabled_git_access_protocol,
    membershipLock: given.membership_lock,
    sharedRunnersMinutesLimit: cleared(given.shared_runners_minutes_limit, -1),
    extraSharedRunnersMinutesLimit: cleared(given.extra_shared_runners_minutes_limit, -1),
    wikiAccessLevel: given.wiki_access_level,
    experimentFeaturesEnabled: given.experiment_features_enabled,
    assistantAvailability: given.assistant_availability ?? given.duo_availability,
    assistantFeaturesEnabled: given.assistant_features_enabled ?? given.duo_features_enabled,
    lockAssistantFeaturesEnabled: given.lock_assistant_features_enabled ?? given.lock_duo_features_enabled,
    preventSharingGroupsOutsideHierarchy: given.prevent_sharing_groups_outside_hierarchy,
    sharedRunnersSetting: given.shared_runners_setting,
    fileTemplateProjectId: cleared(given.file_template_project_id, 0),
    ipRestrictionRanges: cleared(given.ip_restriction_ranges, ''),
    allowedEmailDomainsList: cleared(given.allowed_email_domains_list, ''),
    mathRenderingLimitsEnabled: given.math_rendering_limits_enabled,
    lockMathRenderingLimitsEnabled: given.lock_math_rendering_limits_enabled,
    maxArtifactsSize: given.max_artifacts_size,
    defaultBranchProtectionDefaults:
      protection === undefined
        ? undefined
        : {
            allowedToPush: levelsOf(protection.allowed_to_push),
            allowedToMerge: levelsOf(protection.allowed_to_merge),
            allowForcePush: protection.allow_force_push ?? false,
            developerCanInitialPush: protection.developer_can_initial_push ?? false,
          },
  };
};

const filters = {
  skip_groups: integers().optional(),
  all_available: boolean().optional(),
  search: text().optional(),
  visibility: visibility().optional(),
  owned: boolean().optional(),
  min_access_level: oneOfIntegers(5, 10, 15, 20, 30, 40, 50).optional(),
  top_level_only: boolean().optional(),
  repository_storage: forAdministrators(unsupported(text())),
  // A group that is marked for deletion is hidden from every list.
  marked_for_deletion_on: unsupported(date()),
};

const toFilters = (given: z.infer<z.ZodObject<typeof filters>>) => ({
  parentId: 0,
  ancestorId: 0,
  skipGroups: given.skip_groups ?? [],
  allAvailable: given.all_available,
  search: given.search ?? '',
  visibility: given.visibility ?? '',
  owned: given.owned ?? false,
  minAccessLevel: given.min_access_level ?? 0,
  topLevelOnly: given.top_level_only ?? false,
});

const list = { orderBy: ['name', 'path', 'id', 'similarity'], sort: 'asc' } as const;

export const groupRoutes = [
  defineRoute({
    method: 'get',
    path: '/groups',
    section: 'Groups',
    summary: 'List groups',
    docs: { fails: [405] },
    access: 'public',
    params: filters,
    list,
    limit: 'groups_list',
    returns: { 200: ['GroupItem'] },
    handle: ({ params, actor, page, call }) => {
      if (actor.userId === 0) refuseDeepOffset(page, 'Group');
      return call(GroupServiceService).listGroups({ ...toFilters(params), page });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/subgroups',
    section: 'Groups',
    summary: 'List the subgroups of a group',
    access: { group: 'read_group' },
    params: filters,
    list,
    returns: { 200: ['GroupItem'] },
    handle: ({ params, access, page, call }) =>
      call(GroupServiceService).listGroups({ ...toFilters(params), parentId: access.id, page }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/descendant_groups',
    section: 'Groups',
    summary: 'List the groups below a group at any depth',
    access: { group: 'read_group' },
    params: filters,
    list,
    returns: { 200: ['GroupItem'] },
    handle: ({ params, access, page, call }) =>
      call(GroupServiceService).listGroups({ ...toFilters(params), ancestorId: access.id, page }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id',
    section: 'Groups',
    summary: 'Get a group',
    access: { group: 'read_group' },
    params: { with_projects: boolean().optional() },
    limit: 'group',
    returns: { 200: 'Group' },
    handle: ({ params, access, call }) =>
      call(GroupServiceService).getGroup({ groupId: access.id, withProjects: params.with_projects ?? true }),
  }),
  defineRoute({
    method: 'post',
    path: '/groups',
    section: 'Groups',
    summary: 'Create a group',
    docs: {
      description: 'Create a group, at the top level or below another one.',
      example: { name: 'Acme', path: 'acme', visibility: 'private' },
    },
    access: 'user',
    params: {
      name: documented(text({ notEmpty: true }), displayName),
      path: documented(text({ notEmpty: true }), pathPart),
      parent_id: nullable(integer({ min: 0 })).optional(),
      organization_id: onlyDefault(integer(), 1).optional(),
      ...settings,
    },
    returns: { 201: 'Group' },
    handle: ({ params, call }) =>
      call(GroupServiceService).createGroup({ parentId: params.parent_id ?? 0, settings: toSettings(params) }),
  }),
  defineRoute({
    method: 'put',
    path: '/groups/:id',
    section: 'Groups',
    summary: 'Update a group',
    docs: { fails: [409], example: { description: 'Everything we sell' } },
    access: { group: 'admin_group' },
    params: {
      name: documented(text(), displayName).optional(),
      path: documented(text(), pathPart).optional(),
      ...settings,
      // Administrators only.
      tier: nullable(oneOf('free', 'premium', 'ultimate')).optional(),
    },
    returns: { 200: 'Group' },
    handle: ({ params, access, call }) =>
      call(GroupServiceService).updateGroup({
        groupId: access.id,
        settings: toSettings(params),
        tier: cleared(params.tier, ''),
      }),
  }),
  defineRoute({
    method: 'delete',
    path: '/groups/:id',
    section: 'Groups',
    summary: 'Delete a group',
    docs: {
      description:
        'Delete a group with its subgroups and projects. They are gone at once; their data is removed in the background.',
      fails: [412],
    },
    access: { group: 'remove_group' },
    params: { permanently_remove: boolean().optional(), full_path: text().optional() },
    returns: { 202: 'Accepted' },
    handle: ({ params, access, unmodifiedSince, call }) =>
      call(GroupServiceService).deleteGroup({
        groupId: access.id,
        permanentlyRemove: params.permanently_remove ?? false,
        fullPath: params.full_path ?? '',
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/groups/:id/restore',
    section: 'Groups',
    summary: 'Restore a group that is marked for deletion',
    access: 'user',
    path_params: { id: text() },
    returns: { 201: 'Group' },
    handle: ({ path, call }) => call(GroupServiceService).restoreGroup({ group: path.id }),
  }),
  defineRoute({
    method: 'post',
    path: '/groups/:id/transfer',
    section: 'Groups',
    summary: 'Move a group below another group, or to the top level',
    docs: { example: { group_id: 12 } },
    access: { group: 'admin_group' },
    params: { group_id: nullable(integer({ min: 0 })).optional() },
    returns: { 201: 'Group' },
    handle: ({ params, access, call }) =>
      call(GroupServiceService).transferGroup({ groupId: access.id, parentId: params.group_id ?? 0 }),
  }),
];
