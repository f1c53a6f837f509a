import { avatarUrl, sshUrl, userReference } from '@switchyard/directory';
import { isPaid } from '../../rules';
import { presentProjectStatistics } from '../../statistics';
import type { ProjectRow, SimpleProjectRow } from '../domain/project-row';

/** What presenters need to know of the instance. */
export interface Instance {
  /** Externally visible base URL, without a trailing slash. */
  externalUrl: string;
  /** Licence tier where a top-level group has none of its own (G-13-16). */
  tier: string;
}

/** Features that nothing is behind, as they are printed: the gateway takes no other level. */
const fixedLevels: Readonly<Record<string, string>> = {
  analytics: 'enabled',
  builds: 'enabled',
  container_registry: 'enabled',
  environments: 'enabled',
  feature_flags: 'enabled',
  infrastructure: 'enabled',
  model_experiments: 'enabled',
  model_registry: 'enabled',
  pages: 'private',
  releases: 'enabled',
  requirements: 'enabled',
  security_and_compliance: 'private',
  wiki: 'enabled',
};

/** Other settings that nothing is behind. */
const fixedSettings = {
  lfs_enabled: true,
  shared_runners_enabled: true,
  ci_config_path: null,
  build_timeout: 3_600,
  auto_cancel_pending_pipelines: 'enabled',
  printing_merge_request_link_enabled: true,
} as const;

/** Branches and files may carry characters that end an address, such as `#`. */
const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const fullPathOf = (project: Pick<SimpleProjectRow, 'namespace_full_path' | 'path'>): string =>
  `${project.namespace_full_path}/${project.path}`;

/** What administrators requested in addition to the project. */
const presentCustomAttributes = ({ custom_attributes }: ProjectRow) =>
  custom_attributes === undefined ? {} : { custom_attributes };

/** The short form of a project: what anonymous callers and `simple=true` are given. */
export function presentSimpleProject(project: SimpleProjectRow, { externalUrl }: Instance) {
  const fullPath = fullPathOf(project);
  const webUrl = `${externalUrl}/${fullPath}`;
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${project.namespace_full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: fullPath,
    created_at: new Date(project.created_at),
    default_branch: project.default_branch,
    tag_list: project.topics,
    topics: project.topics,
    ssh_url_to_repo: sshUrl(externalUrl, fullPath),
    http_url_to_repo: `${webUrl}.git`,
    web_url: webUrl,
    readme_url:
      project.readme_path === null
        ? null
        : `${webUrl}/-/blob/${encodePath(project.default_branch)}/${encodePath(project.readme_path)}`,
    forks_count: project.forks_count,
    avatar_url: avatarUrl(project.avatar_url, externalUrl),
    star_count: project.star_count,
    visibility: project.visibility,
    last_activity_at: new Date(project.last_activity_at),
    namespace: {
      id: project.namespace_id,
      name: project.namespace_name,
      path: project.namespace_path,
      kind: project.namespace_kind,
      full_path: project.namespace_full_path,
      parent_id: project.namespace_parent_id,
      avatar_url: avatarUrl(project.namespace_avatar_url, externalUrl),
      web_url:
        project.namespace_kind === 'group'
          ? `${externalUrl}/groups/${project.namespace_full_path}`
          : `${externalUrl}/${project.namespace_full_path}`,
    },
  };
}

const accessOf = (level: number | null) => (level === null ? null : { access_level: level, notification_level: 3 });

/** A project in full (G §10 Projects). */
export function presentProject(project: ProjectRow, instance: Instance) {
  const { externalUrl } = instance;
  const paid = isPaid(project, instance.tier);
  const api = `${externalUrl}/api/v4/projects/${project.id}`;
  const levels: Record<string, string> = {
    ...fixedLevels,
    forking: project.feature_access_levels.forking ?? 'enabled',
    monitor: project.feature_access_levels.monitor ?? 'enabled',
    snippets: project.feature_access_levels.snippets ?? 'enabled',
    package_registry: project.feature_access_levels.package_registry ?? 'enabled',
    issues: project.issues_access_level,
    merge_requests: project.merge_requests_access_level,
    repository: project.repository_access_level,
  };
  const isOn = (feature: string): boolean => levels[feature] !== 'disabled';
  const featureLevels = Object.fromEntries(
    Object.entries(levels).map(([feature, level]) => [`${feature}_access_level`, level]),
  );
  return {
    ...presentSimpleProject(project, instance),
    container_registry_image_prefix: `${new URL(externalUrl).host}/${fullPathOf(project).toLowerCase()}`,
    _links: {
      self: api,
      ...(isOn('issues') ? { issues: `${api}/issues` } : {}),
      ...(isOn('merge_requests') ? { merge_requests: `${api}/merge_requests` } : {}),
      repo_branches: `${api}/repository/branches`,
      labels: `${api}/labels`,
      events: `${api}/events`,
      members: `${api}/members`,
    },
    ...(project.owner_id === null
      ? {}
      : {
          owner: {
            ...userReference(
              {
                id: project.owner_id,
                username: project.owner_username ?? '',
                name: project.owner_name ?? '',
                state: project.owner_state ?? 'active',
                avatar_url: project.owner_avatar_url,
                public_email: project.owner_public_email,
              },
              externalUrl,
            ),
            created_at: project.owner_created_at,
          },
        }),
    creator_id: project.creator_id,
    ...(project.forked_from === null
      ? {}
      : { forked_from_project: presentSimpleProject(project.forked_from, instance) }),
    ...(project.forked_from_project_id === null ? {} : { mr_default_target_self: project.mr_default_target_self }),
    archived: project.archived,
    updated_at: project.updated_at,
    packages_enabled: isOn('package_registry'),
    container_registry_enabled: isOn('container_registry'),
    issues_enabled: isOn('issues'),
    merge_requests_enabled: isOn('merge_requests'),
    wiki_enabled: isOn('wiki'),
    jobs_enabled: isOn('builds'),
    snippets_enabled: isOn('snippets'),
    ...featureLevels,
    ...fixedSettings,
    can_create_merge_request_in: isOn('merge_requests') && (project.level ?? 0) >= 20,
    request_access_enabled: project.request_access_enabled,
    emails_enabled: project.emails_enabled,
    emails_disabled: !project.emails_enabled,
    import_status: project.import_status,
    ...(project.import_error === null ? {} : { import_error: project.import_error }),
    import_type: project.import_type,
    import_url: null,
    open_issues_count: project.open_issues_count,
    shared_with_groups: project.shared_with_groups,
    only_allow_merge_if_pipeline_succeeds: project.only_allow_merge_if_pipeline_succeeds,
    allow_merge_on_skipped_pipeline: project.allow_merge_on_skipped_pipeline,
    only_allow_merge_if_all_discussions_are_resolved: project.only_allow_merge_if_all_discussions_are_resolved,
    remove_source_branch_after_merge: project.remove_source_branch_after_merge,
    resolve_outdated_diff_discussions: project.resolve_outdated_diff_discussions,
    autoclose_referenced_issues: project.autoclose_referenced_issues,
    merge_method: project.merge_method,
    squash_option: project.squash_option,
    merge_commit_template: project.merge_commit_template,
    squash_commit_template: project.squash_commit_template,
    suggestion_commit_message: project.suggestion_commit_message,
    ...(paid
      ? {
          marked_for_deletion_on: project.marked_for_deletion_at?.toISOString().slice(0, 10) ?? null,
          approvals_before_merge: project.approvals_before_merge,
          merge_pipelines_enabled: project.merge_pipelines_enabled,
          merge_trains_enabled: project.merge_trains_enabled,
          merge_trains_skip_train_allowed: project.merge_trains_skip_train_allowed,
          merge_train_required_statuses: project.merge_train_required_statuses,
          merge_train_timeout: project.merge_train_timeout,
          merge_train_parallel_cars: project.merge_train_parallel_cars,
          merge_train_retries: project.merge_train_retries,
          merge_train_batch_size: project.merge_train_batch_size,
          merge_train_required_status_count: project.merge_train_required_status_count,
          merge_train_settling_seconds: project.merge_train_settling_seconds,
        }
      : {}),
    ...(project.sizes ? { statistics: presentProjectStatistics(project.sizes) } : {}),
    ...presentCustomAttributes(project),
    permissions: { project_access: accessOf(project.project_level), group_access: accessOf(project.group_level) },
  };
}
