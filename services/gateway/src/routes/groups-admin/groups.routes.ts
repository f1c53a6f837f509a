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
} from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, displayName, pathPart, refName } from '../field-facts';
import { memberLevels } from './access-levels';
import { avatar, avatarChange } from './avatars.routes';
import { listedCustomAttributes, shownCustomAttributes } from './custom-attributes.routes';

const visibility = () => oneOf('private', 'internal', 'public');

const protectedLevels = () => hashes({ access_level: oneOfIntegers(0, 30, 40, 60) });
const count = () => integer({ min: 0, max: 2_147_483_647 });
const availability = () => onlyDefault(oneOf('default_on', 'default_off', 'never_on'), 'default_on').optional();

/** Settings that nothing is behind: clients may send what is printed, and nothing else. */
const fixedSettings = {
  require_two_factor_authentication: onlyDefault(boolean(), false).optional(),
  two_factor_grace_period: onlyDefault(count(), 48).optional(),
  auto_devops_enabled: onlyDefault(nullable(boolean()), null).optional(),
  lfs_enabled: onlyDefault(boolean(), true).optional(),
  shared_runners_minutes_limit: onlyDefault(nullable(count()), null).optional(),
  extra_shared_runners_minutes_limit: onlyDefault(nullable(count()), null).optional(),
  wiki_access_level: onlyDefault(oneOf('disabled', 'private', 'enabled'), 'enabled').optional(),
  experiment_features_enabled: onlyDefault(boolean(), false).optional(),
  assistant_availability: availability(),
  duo_availability: availability(),
  assistant_features_enabled: onlyDefault(boolean(), true).optional(),
  duo_features_enabled: onlyDefault(boolean(), true).optional(),
  lock_assistant_features_enabled: onlyDefault(boolean(), false).optional(),
  lock_duo_features_enabled: onlyDefault(boolean(), false).optional(),
  shared_runners_setting: onlyDefault(
    oneOf('enabled', 'disabled_and_overridable', 'disabled_with_override', 'disabled_and_unoverridable'),
    'enabled',
  ).optional(),
  file_template_project_id: onlyDefault(nullable(integer({ min: 1 })), null).optional(),
  math_rendering_limits_enabled: onlyDefault(boolean(), true).optional(),
  lock_math_rendering_limits_enabled: onlyDefault(boolean(), false).optional(),
  max_artifacts_size: onlyDefault(nullable(count()), null).optional(),
};

/** Addresses and CIDR ranges, for the document: whether each is one is for the service to say, with other problems. */
const ranges = {
  description: 'IPv4 and IPv6 addresses and CIDR ranges, separated by commas, at most 500; of a top-level group.',
};

const settings = {
  ...fixedSettings,
  description: documented(nullable(text()), atMost(500)).optional(),
  visibility: visibility().optional(),
  share_with_group_lock: boolean().optional(),
  project_creation_level: oneOf('noone', 'owner', 'maintainer', 'developer', 'administrator').optional(),
  subgroup_creation_level: oneOf('owner', 'maintainer').optional(),
  emails_disabled: boolean().optional(),
  emails_enabled: boolean().optional(),
  mentions_disabled: boolean().optional(),
  request_access_enabled: boolean().optional(),
  default_branch: documented(nullable(text()), refName).optional(),
  default_branch_protection: oneOfIntegers(0, 1, 2, 3, 4).optional(),
  default_branch_protection_defaults: hash({
    allowed_to_push: protectedLevels().optional(),
    allow_force_push: boolean().optional(),
    allowed_to_merge: protectedLevels().optional(),
    developer_can_initial_push: boolean().optional(),
  }).optional(),
  enabled_git_access_protocol: oneOf('ssh', 'http', 'all').optional(),
  membership_lock: boolean().optional(),
  prevent_sharing_groups_outside_hierarchy: boolean().optional(),
  ip_restriction_ranges: documented(nullable(text({ max: 30_000 })), ranges).optional(),
  allowed_email_domains_list: nullable(text()).optional(),
  avatar: avatar(),
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
    projectCreationLevel: given.project_creation_level,
    subgroupCreationLevel: given.subgroup_creation_level,
    emailsEnabled: given.emails_enabled ?? (given.emails_disabled === undefined ? undefined : !given.emails_disabled),
    mentionsDisabled: given.mentions_disabled,
    requestAccessEnabled: given.request_access_enabled,
    defaultBranch: cleared(given.default_branch, ''),
    defaultBranchProtection: given.default_branch_protection,
    enabledGitAccessProtocol: given.enabled_git_access_protocol,
    membershipLock: given.membership_lock,
    preventSharingGroupsOutsideHierarchy: given.prevent_sharing_groups_outside_hierarchy,
    ipRestrictionRanges: cleared(given.ip_restriction_ranges, ''),
    allowedEmailDomainsList: cleared(given.allowed_email_domains_list, ''),
    avatar: avatarChange(given.avatar),
    defaultBranchProtectionDefaults:
      protection === undefined
        ? undefined
        : {
            allowedToPush: levelsOf(protection.allowed_to_push),
            allowedToMerge: levelsOf(protection.allowed_to_merge),
            allowForcePush: protection.allow_force_push,
            developerCanInitialPush: protection.developer_can_initial_push,
          },
  };
};

/** Filters of lists of groups. */
export const groupFilters = {
  skip_groups: integers().optional(),
  all_available: boolean().optional(),
  search: text().optional(),
  visibility: visibility().optional(),
  owned: boolean().optional(),
  min_access_level: oneOfIntegers(...memberLevels).optional(),
  top_level_only: boolean().optional(),
  statistics: forAdministrators(boolean().optional()),
  ...listedCustomAttributes,
  repository_storage: forAdministrators(text()).optional(),
  marked_for_deletion_on: date().optional(),
};

/** The filters as they travel; nothing is asked of shares. */
export const toGroupFilters = (given: Partial<z.infer<z.ZodObject<typeof groupFilters>>>) => ({
  parentId: 0,
  ancestorId: 0,
  skipGroups: given.skip_groups ?? [],
  allAvailable: given.all_available,
  search: given.search ?? '',
  visibility: given.visibility ?? '',
  owned: given.owned ?? false,
  minAccessLevel: given.min_access_level ?? 0,
  topLevelOnly: given.top_level_only ?? false,
  sharedWithGroupId: 0,
  invitedTo: undefined,
  repositoryStorage: given.repository_storage,
  markedForDeletionOn: given.marked_for_deletion_on,
  withStatistics: given.statistics,
  withCustomAttributes: given.with_custom_attributes,
  customAttributes: given.custom_attributes && { values: given.custom_attributes },
});

/** Orders of lists of groups. */
export const groupOrders = { orderBy: ['name', 'path', 'id', 'similarity'], sort: 'asc' } as const;

export const groupRoutes = [
  defineRoute({
    method: 'get',
    path: '/groups',
    section: 'Groups',
    summary: 'List groups',
    docs: { fails: [405] },
    access: 'public',
    params: groupFilters,
    list: groupOrders,
    limit: 'groups_list',
    returns: { 200: ['GroupItem'] },
    handle: ({ params, actor, page, call }) => {
      if (actor.userId === 0) refuseDeepOffset(page, 'Group');
      return call(GroupServiceService).listGroups({ ...toGroupFilters(params), page });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/subgroups',
    section: 'Groups',
    summary: 'List the subgroups of a group',
    access: { group: 'read_group' },
    params: groupFilters,
    list: groupOrders,
    returns: { 200: ['GroupItem'] },
    handle: ({ params, access, page, call }) =>
      call(GroupServiceService).listGroups({ ...toGroupFilters(params), parentId: access.id, page }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/descendant_groups',
    section: 'Groups',
    summary: 'List the groups below a group at any depth',
    access: { group: 'read_group' },
    params: groupFilters,
    list: groupOrders,
    returns: { 200: ['GroupItem'] },
    handle: ({ params, access, page, call }) =>
      call(GroupServiceService).listGroups({ ...toGroupFilters(params), ancestorId: access.id, page }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id',
    section: 'Groups',
    summary: 'Get a group',
    docs: {
      description:
        'Get a group. One that is marked for deletion is shown to its Owners and to administrators, until it is removed.',
    },
    access: { group: 'read_group' },
    includesMarked: true,
    anyAddress: true,
    params: {
      with_projects: boolean().optional(),
      statistics: forAdministrators(boolean().optional()),
      ...shownCustomAttributes,
    },
    limit: 'group',
    returns: { 200: 'Group' },
    handle: ({ params, access, call }) =>
      call(GroupServiceService).getGroup({
        groupId: access.id,
        withProjects: params.with_projects ?? true,
        withStatistics: params.statistics,
        withCustomAttributes: params.with_custom_attributes,
      }),
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
    groupsIn: ['parent_id'],
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
    anyAddress: true,
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
        'Mark a group for deletion with its subgroups and projects. They are hidden at once, and removed after the delay of the installation; without a delay, and in the tier `free`, at once. `permanently_remove` with `full_path` removes a subgroup that is marked.',
      fails: [412],
    },
    access: { group: 'remove_group' },
    includesMarked: true,
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
    access: { group: 'remove_group' },
    includesMarked: true,
    returns: { 201: 'Group' },
    handle: ({ access, call }) => call(GroupServiceService).restoreGroup({ groupId: access.id }),
  }),
  defineRoute({
    method: 'post',
    path: '/groups/:id/transfer',
    section: 'Groups',
    summary: 'Move a group below another group, or to the top level',
    docs: { example: { group_id: 12 } },
    access: { group: 'admin_group' },
    groupsIn: ['group_id'],
    params: { group_id: nullable(integer({ min: 0 })).optional() },
    returns: { 201: 'Group' },
    handle: ({ params, access, call }) =>
      call(GroupServiceService).transferGroup({ groupId: access.id, parentId: params.group_id ?? 0 }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/transfer_locations',
    section: 'Groups',
    summary: 'List the groups below which a group can be moved',
    docs: { description: 'List the groups below which the caller may move a group, by name.' },
    access: { group: 'admin_group' },
    params: { search: text().optional() },
    list: {},
    returns: { 200: ['GroupTransferLocation'] },
    handle: ({ params, access, page, call }) =>
      call(GroupServiceService).listTransferLocations({
        moving: { $case: 'groupId', value: access.id },
        search: params.search ?? '',
        page,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/groups/:id/projects/:project_id',
    section: 'Groups',
    summary: 'Move a project into a group',
    access: 'admin',
    path_params: { id: text(), project_id: text() },
    returns: { 201: 'Group' },
    handle: ({ path, call }) =>
      call(GroupServiceService).transferProjectToGroup({ group: path.id, project: path.project_id }),
  }),
];
