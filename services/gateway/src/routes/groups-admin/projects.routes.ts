import { GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { GroupProjects, ProjectServiceService, type ProjectSettings } from '@switchyard/protos/groups_admin/v1/project';
import type { z } from 'zod';
import { atLeastOne } from '../../http/check-parameters';
import { refuseDeepOffset } from '../../http/page';
import {
  boolean,
  csv,
  date,
  dateTime,
  documented,
  forAdministrators,
  integer,
  nullable,
  oneOf,
  oneOfIntegers,
  onlyDefault,
  text,
  texts,
  unsupported,
} from '../../http/params';
import { defineRoute, type ListRule } from '../../http/route';
import { atMost, displayName, oneLine, pathPart, refName } from '../field-facts';
import { memberLevels } from './access-levels';
import { avatar, avatarChange } from './avatars.routes';
import { listedCustomAttributes } from './custom-attributes.routes';

const visibility = () => oneOf('private', 'internal', 'public');
const levelOfFeature = () => oneOf('disabled', 'private', 'enabled');
const featureLevel = () => levelOfFeature().optional();
const fixedLevel = (standard: 'private' | 'enabled') => onlyDefault(levelOfFeature(), standard).optional();
const fixedLevelOrPublic = (standard: 'private' | 'enabled') =>
  onlyDefault(oneOf('disabled', 'private', 'enabled', 'public'), standard).optional();

/** Features with an access level of their own: `<feature>_access_level`. */
const featureLevels = {
  forking_access_level: featureLevel(),
  issues_access_level: featureLevel(),
  merge_requests_access_level: featureLevel(),
  monitor_access_level: featureLevel(),
  package_registry_access_level: documented(oneOf('disabled', 'private', 'enabled', 'public'), {
    description: 'With `public`, everybody reads the packages, whatever the visibility of the project.',
  }).optional(),
  repository_access_level: featureLevel(),
  snippets_access_level: featureLevel(),
};

/** Older switches of features, by the access level they set. */
const featureSwitches = {
  issues_enabled: boolean().optional(),
  merge_requests_enabled: boolean().optional(),
  packages_enabled: boolean().optional(),
  snippets_enabled: boolean().optional(),
};

const switchedFeature: Record<keyof typeof featureSwitches, string> = {
  issues_enabled: 'issues',
  merge_requests_enabled: 'merge_requests',
  packages_enabled: 'package_registry',
  snippets_enabled: 'snippets',
};

/** Settings that nothing is behind: clients may send what is printed, and nothing else. */
const fixedSettings = {
  analytics_access_level: fixedLevel('enabled'),
  builds_access_level: fixedLevel('enabled'),
  container_registry_access_level: fixedLevel('enabled'),
  environments_access_level: fixedLevel('enabled'),
  feature_flags_access_level: fixedLevel('enabled'),
  infrastructure_access_level: fixedLevel('enabled'),
  model_experiments_access_level: fixedLevel('enabled'),
  model_registry_access_level: fixedLevel('enabled'),
  pages_access_level: fixedLevelOrPublic('private'),
  releases_access_level: fixedLevel('enabled'),
  requirements_access_level: fixedLevel('enabled'),
  security_and_compliance_access_level: fixedLevel('private'),
  wiki_access_level: fixedLevel('enabled'),
  wiki_enabled: onlyDefault(boolean(), true).optional(),
  jobs_enabled: onlyDefault(boolean(), true).optional(),
  container_registry_enabled: onlyDefault(boolean(), true).optional(),
  lfs_enabled: onlyDefault(boolean(), true).optional(),
  shared_runners_enabled: onlyDefault(boolean(), true).optional(),
  printing_merge_request_link_enabled: onlyDefault(boolean(), true).optional(),
  ci_config_path: onlyDefault(nullable(text()), null).optional(),
  build_timeout: onlyDefault(integer({ min: 600, max: 2_592_000 }), 3_600).optional(),
  auto_cancel_pending_pipelines: onlyDefault(oneOf('disabled', 'enabled'), 'enabled').optional(),
};

/** A number of a project's merge trains; what lies outside is for the service to refuse, with its other problems. */
const trainNumber = (minimum: number, maximum: number) =>
  documented(integer({ min: 0, max: 2_147_483_647 }), { minimum, maximum }).optional();

const topics = { items: { type: 'string', maxLength: 255, pattern: '^[^\\u0000]*$' } };
const requiredStatuses = { maxItems: 50, uniqueItems: true, items: { type: 'string', ...oneLine } };

/** What `mr_default_target_self` does. */
export const defaultTargetSelf = {
  description:
    'Merge requests from the fork go into itself where nothing else is said (push options), and not into the project it is a fork of.',
};

const settings = {
  ...fixedSettings,
  description: documented(nullable(text()), atMost(2_000)).optional(),
  visibility: visibility().optional(),
  default_branch: documented(nullable(text()), refName).optional(),
  topics: documented(csv(), topics).optional(),
  tag_list: documented(csv(), topics).optional(),
  merge_method: oneOf('ff', 'rebase_merge', 'merge').optional(),
  squash_option: oneOf('never', 'always', 'default_on', 'default_off').optional(),
  only_allow_merge_if_pipeline_succeeds: boolean().optional(),
  allow_merge_on_skipped_pipeline: boolean().optional(),
  only_allow_merge_if_all_discussions_are_resolved: boolean().optional(),
  remove_source_branch_after_merge: boolean().optional(),
  merge_pipelines_enabled: boolean().optional(),
  merge_trains_enabled: boolean().optional(),
  merge_trains_skip_train_allowed: boolean().optional(),
  merge_train_required_statuses: documented(texts(), requiredStatuses).optional(),
  merge_train_timeout: trainNumber(1, 1_440),
  merge_train_parallel_cars: trainNumber(1, 100),
  merge_train_retries: trainNumber(0, 3),
  merge_train_batch_size: trainNumber(1, 10),
  merge_train_required_status_count: trainNumber(0, 100),
  merge_train_settling_seconds: trainNumber(0, 600),
  request_access_enabled: boolean().optional(),
  merge_commit_template: documented(nullable(text()), atMost(500)).optional(),
  squash_commit_template: documented(nullable(text()), atMost(500)).optional(),
  suggestion_commit_message: documented(nullable(text()), atMost(255)).optional(),
  resolve_outdated_diff_discussions: onlyDefault(boolean(), false).optional(),
  autoclose_referenced_issues: onlyDefault(boolean(), true).optional(),
  emails_disabled: boolean().optional(),
  emails_enabled: boolean().optional(),
  approvals_before_merge: trainNumber(0, 100),
  avatar: avatar(),
  ...featureLevels,
  ...featureSwitches,
};

/** Settings of projects that are there. */
const laterSettings = { mr_default_target_self: documented(boolean(), defaultTargetSelf).optional() };

type Settings = z.infer<z.ZodObject<typeof settings>> &
  Partial<z.infer<z.ZodObject<typeof laterSettings>>> & { name?: string; path?: string };

const cleared = (value: string | null | undefined): string | undefined => (value === null ? '' : value);

function accessLevels(given: Settings): Record<string, string> {
  const levels: Record<string, string> = {};
  for (const name of Object.keys(switchedFeature) as (keyof typeof featureSwitches)[]) {
    const on = given[name];
    if (on !== undefined) levels[switchedFeature[name]] = on ? 'enabled' : 'disabled';
  }
  for (const name of Object.keys(featureLevels) as (keyof typeof featureLevels)[]) {
    const level = given[name];
    if (level !== undefined) levels[name.replace('_access_level', '')] = level;
  }
  return levels;
}

const toSettings = (given: Settings): ProjectSettings => {
  const topics = given.topics ?? given.tag_list;
  return {
    name: given.name,
    path: given.path,
    description: cleared(given.description),
    visibility: given.visibility,
    defaultBranch: cleared(given.default_branch),
    topics: topics === undefined ? undefined : { names: topics },
    mergeMethod: given.merge_method,
    squashOption: given.squash_option,
    onlyAllowMergeIfPipelineSucceeds: given.only_allow_merge_if_pipeline_succeeds,
    allowMergeOnSkippedPipeline: given.allow_merge_on_skipped_pipeline,
    onlyAllowMergeIfAllDiscussionsAreResolved: given.only_allow_merge_if_all_discussions_are_resolved,
    removeSourceBranchAfterMerge: given.remove_source_branch_after_merge,
    mergePipelinesEnabled: given.merge_pipelines_enabled,
    mergeTrainsEnabled: given.merge_trains_enabled,
    mergeTrainsSkipTrainAllowed: given.merge_trains_skip_train_allowed,
    mergeTrainRequiredStatuses:
      given.merge_train_required_statuses === undefined ? undefined : { names: given.merge_train_required_statuses },
    mergeTrainTimeout: given.merge_train_timeout,
    mergeTrainParallelCars: given.merge_train_parallel_cars,
    mergeTrainRetries: given.merge_train_retries,
    mergeTrainBatchSize: given.merge_train_batch_size,
    mergeTrainRequiredStatusCount: given.merge_train_required_status_count,
    mergeTrainSettlingSeconds: given.merge_train_settling_seconds,
    featureAccessLevels: accessLevels(given),
    requestAccessEnabled: given.request_access_enabled,
    mergeCommitTemplate: cleared(given.merge_commit_template),
    squashCommitTemplate: cleared(given.squash_commit_template),
    suggestionCommitMessage: cleared(given.suggestion_commit_message),
    resolveOutdatedDiffDiscussions: given.resolve_outdated_diff_discussions,
    autocloseReferencedIssues: given.autoclose_referenced_issues,
    emailsEnabled: given.emails_enabled ?? (given.emails_disabled === undefined ? undefined : !given.emails_disabled),
    approvalsBeforeMerge: given.approvals_before_merge,
    mrDefaultTargetSelf: given.mr_default_target_self,
    avatar: avatarChange(given.avatar),
  };
};

/** What the parameter `statistics` does, wherever projects are shown. */
export const shownStatistics = {
  description: 'Adds `statistics` where the caller has the role Reporter or a higher one.',
};

/** Filters of lists of projects. */
export const projectFilters = {
  archived: boolean().optional(),
  visibility: visibility().optional(),
  search: text().optional(),
  search_namespaces: boolean().optional(),
  simple: boolean().optional(),
  owned: boolean().optional(),
  membership: boolean().optional(),
  starred: boolean().optional(),
  min_access_level: oneOfIntegers(...memberLevels).optional(),
  with_issues_enabled: boolean().optional(),
  with_merge_requests_enabled: boolean().optional(),
  topic: csv().optional(),
  id_after: integer({ min: 0 }).optional(),
  id_before: integer({ min: 0 }).optional(),
  last_activity_after: dateTime().optional(),
  last_activity_before: dateTime().optional(),
  updated_after: dateTime().optional(),
  updated_before: dateTime().optional(),
  active: boolean().optional(),
  statistics: documented(boolean(), shownStatistics).optional(),
  ...listedCustomAttributes,
  topic_id: integer({ min: 1 }).optional(),
  with_programming_language: unsupported(text()),
  marked_for_deletion_on: date().optional(),
  repository_storage: forAdministrators(text()).optional(),
};

/** The filters as they travel, of projects wherever they are. */
export const toProjectFilters = (given: Partial<z.infer<z.ZodObject<typeof projectFilters>>>) => ({
  groupId: 0,
  includeSubgroups: false,
  includeAncestorGroups: false,
  user: '',
  archived: given.archived,
  visibility: given.visibility ?? '',
  search: given.search ?? '',
  searchNamespaces: given.search_namespaces ?? false,
  simple: given.simple ?? false,
  owned: given.owned ?? false,
  membership: given.membership ?? false,
  starred: given.starred ?? false,
  minAccessLevel: given.min_access_level ?? 0,
  withIssuesEnabled: given.with_issues_enabled ?? false,
  withMergeRequestsEnabled: given.with_merge_requests_enabled ?? false,
  topics: given.topic ?? [],
  topicId: given.topic_id ?? 0,
  idAfter: given.id_after ?? 0,
  idBefore: given.id_before ?? 0,
  lastActivityAfter: given.last_activity_after,
  lastActivityBefore: given.last_activity_before,
  updatedAfter: given.updated_after,
  updatedBefore: given.updated_before,
  active: given.active,
  groupProjects: GroupProjects.GROUP_PROJECTS_UNSPECIFIED,
  markedForDeletionOn: given.marked_for_deletion_on,
  repositoryStorage: given.repository_storage,
  forksOf: 0,
  withStatistics: given.statistics,
  withCustomAttributes: given.with_custom_attributes,
  customAttributes: given.custom_attributes && { values: given.custom_attributes },
});

/**
 * Ordered by id alone, the next page is named by the id of the last row (G-1-32); other orders need the whole cursor.
 */
function keysetParameters(cursor: string, descending: boolean): Record<string, string> {
  const position = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Record<string, string>;
  return Object.keys(position).length === 2 && position.id !== undefined
    ? { [descending ? 'id_before' : 'id_after']: position.id }
    : { cursor };
}

const orders = [
  'created_at',
  'id',
  'name',
  'path',
  'updated_at',
  'last_activity_at',
  'star_count',
  'similarity',
] as const;
/** Orders of lists of projects. */
export const projectOrders: ListRule = { orderBy: orders, sort: 'desc', keysetParameters };

export const projectRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects',
    section: 'Projects',
    summary: 'List projects',
    docs: { fails: [405] },
    access: 'public',
    params: projectFilters,
    list: projectOrders,
    limit: 'projects_list',
    returns: { 200: ['ProjectItem'] },
    handle: ({ params, actor, page, call }) => {
      if (actor.userId === 0) refuseDeepOffset(page, 'Project');
      return call(ProjectServiceService).listProjects({ ...toProjectFilters(params), page });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/users/:id/projects',
    section: 'Projects',
    summary: 'List the projects in the namespace of a user',
    access: 'public',
    path_params: { id: text() },
    params: projectFilters,
    list: projectOrders,
    returns: { 200: ['ProjectItem'] },
    handle: ({ params, path, page, call }) =>
      call(ProjectServiceService).listProjects({ ...toProjectFilters(params), user: path.id, page }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/projects',
    section: 'Projects',
    summary: 'List the projects of a group',
    access: { group: 'read_group' },
    params: {
      ...projectFilters,
      with_shared: boolean().optional(),
      include_subgroups: boolean().optional(),
      include_ancestor_groups: boolean().optional(),
      with_security_reports: onlyDefault(boolean(), false).optional(),
    },
    list: projectOrders,
    limit: 'group_projects',
    returns: { 200: ['ProjectItem'] },
    handle: ({ params, access, page, call }) =>
      call(ProjectServiceService).listProjects({
        ...toProjectFilters(params),
        groupId: access.id,
        includeSubgroups: params.include_subgroups ?? false,
        includeAncestorGroups: params.include_ancestor_groups ?? false,
        groupProjects:
          (params.with_shared ?? true)
            ? GroupProjects.GROUP_PROJECTS_WITH_SHARED
            : GroupProjects.GROUP_PROJECTS_UNSPECIFIED,
        page,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects',
    section: 'Projects',
    summary: 'Create a project',
    docs: {
      description: 'Create a project, in the namespace of the caller or in a group.',
      example: { name: 'Web', path: 'web', namespace_id: 12 },
    },
    access: 'user',
    groupsIn: ['namespace_id'],
    params: {
      name: documented(text(), displayName).optional(),
      path: documented(text(), pathPart).optional(),
      namespace_id: nullable(integer({ min: 1 })).optional(),
      initialize_with_readme: boolean().optional(),
      ...settings,
    },
    relations: [atLeastOne('name', 'path')],
    returns: { 201: 'Project' },
    handle: ({ params, call }) =>
      call(ProjectServiceService).createProject({
        namespaceId: params.namespace_id ?? 0,
        userId: 0,
        initializeWithReadme: params.initialize_with_readme ?? false,
        settings: toSettings(params),
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/user/:user_id',
    section: 'Projects',
    summary: 'Create a project for a user',
    docs: { description: 'Create a project in the namespace of a user.', example: { name: 'Web', path: 'web' } },
    access: 'admin',
    path_params: { user_id: integer({ min: 1 }) },
    params: {
      name: documented(text(), displayName),
      path: documented(text(), pathPart).optional(),
      namespace_id: nullable(integer({ min: 1 })).optional(),
      initialize_with_readme: boolean().optional(),
      ...settings,
    },
    returns: { 201: 'Project' },
    handle: ({ params, path, call }) =>
      call(ProjectServiceService).createProject({
        namespaceId: params.namespace_id ?? 0,
        userId: path.user_id,
        initializeWithReadme: params.initialize_with_readme ?? false,
        settings: toSettings(params),
      }),
  }),
  defineRoute({
    method: 'put',
    path: '/projects/:id',
    section: 'Projects',
    summary: 'Update a project',
    docs: { example: { merge_method: 'merge', merge_pipelines_enabled: true, merge_trains_enabled: true } },
    access: { project: 'admin_project' },
    abilityWith: { visibility: 'change_visibility' },
    params: {
      name: documented(text(), displayName).optional(),
      path: documented(text(), pathPart).optional(),
      ...settings,
      ...laterSettings,
    },
    returns: { 200: 'Project' },
    handle: ({ params, access, call }) =>
      call(ProjectServiceService).updateProject({ projectId: access.id, settings: toSettings(params) }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/archive',
    section: 'Projects',
    summary: 'Archive a project',
    docs: { description: 'Make a project read-only.' },
    access: { project: 'archive_project' },
    returns: { 201: 'Project' },
    handle: ({ access, call }) => call(ProjectServiceService).archiveProject({ projectId: access.id, archived: true }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/unarchive',
    section: 'Projects',
    summary: 'Take a project out of the archive',
    access: { project: 'archive_project' },
    returns: { 201: 'Project' },
    handle: ({ access, call }) => call(ProjectServiceService).archiveProject({ projectId: access.id, archived: false }),
  }),
  defineRoute({
    method: 'put',
    path: '/projects/:id/transfer',
    section: 'Projects',
    summary: 'Move a project to another namespace',
    docs: { example: { namespace: 'acme' } },
    access: { project: 'remove_project' },
    groupsIn: ['namespace'],
    params: { namespace: text({ notEmpty: true }) },
    returns: { 200: 'Project' },
    handle: ({ params, access, call }) =>
      call(ProjectServiceService).transferProject({ projectId: access.id, namespace: params.namespace }),
  }),
  defineRoute({
    method: 'delete',
    path: '/projects/:id',
    section: 'Projects',
    summary: 'Delete a project',
    docs: {
      description:
        'Mark a project for deletion. It is hidden at once, and removed after the delay of the installation; without a delay, and in the tier `free`, at once. `permanently_remove` with `full_path` removes a project that is marked.',
      fails: [412],
    },
    access: { project: 'remove_project' },
    includesMarked: true,
    params: { permanently_remove: boolean().optional(), full_path: text().optional() },
    returns: { 202: 'Accepted' },
    handle: ({ params, access, unmodifiedSince, call }) =>
      call(ProjectServiceService).deleteProject({
        projectId: access.id,
        permanentlyRemove: params.permanently_remove,
        fullPath: params.full_path,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/restore',
    section: 'Projects',
    summary: 'Restore a project that is marked for deletion',
    access: { project: 'remove_project' },
    includesMarked: true,
    returns: { 201: 'Project' },
    handle: ({ access, call }) => call(ProjectServiceService).restoreProject({ projectId: access.id }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/transfer_locations',
    section: 'Projects',
    summary: 'List the groups to which a project can be moved',
    docs: { description: 'List the groups to which the caller may move a project, by name.' },
    access: { project: 'remove_project' },
    params: { search: text().optional() },
    list: {},
    returns: { 200: ['GroupTransferLocation'] },
    handle: ({ params, access, page, call }) =>
      call(GroupServiceService).listTransferLocations({
        moving: { $case: 'projectId', value: access.id },
        search: params.search ?? '',
        page,
      }),
  }),
];
