import type { Instance } from '../../projects';
import { type GroupRow, settingsOf } from '../domain/group-row';

/** A group with what its Owners alone are shown. */
export interface GroupView {
  /** The viewer is an Owner or an administrator. */
  administers: boolean;
  runnersToken: string;
  /** Rendered projects, when they were requested. */
  projects: unknown[] | undefined;
}

const dateOf = (timestamp: Date | null): string | null =>
  timestamp === null ? null : timestamp.toISOString().slice(0, 10);

/** A group in a list (api.md 2, Group). */
export function presentGroupItem(group: GroupRow, instance: Instance) {
  const settings = settingsOf(group);
  const paid = (group.tier ?? instance.tier) !== 'free';
  return {
    id: group.id,
    web_url: `${instance.externalUrl}/groups/${group.full_path}`,
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: group.visibility,
    share_with_group_lock: settings.share_with_group_lock,
    require_two_factor_authentication: settings.require_two_factor_authentication,
    two_factor_grace_period: settings.two_factor_grace_period,
    project_creation_level: settings.project_creation_level,
    auto_devops_enabled: settings.auto_devops_enabled,
    subgroup_creation_level: settings.subgroup_creation_level,
    emails_disabled: !settings.emails_enabled,
    emails_enabled: settings.emails_enabled,
    mentions_disabled: settings.mentions_disabled,
    lfs_enabled: settings.lfs_enabled,
    math_rendering_limits_enabled: settings.math_rendering_limits_enabled,
    lock_math_rendering_limits_enabled: settings.lock_math_rendering_limits_enabled,
    default_branch: settings.default_branch,
    default_branch_protection: settings.default_branch_protection,
    default_branch_protection_defaults: settings.default_branch_protection_defaults,
    avatar_url: group.avatar_url,
    request_access_enabled: settings.request_access_enabled,
    repository_storage: 'default',
    full_name: group.full_name,
    full_path: group.full_path,
    created_at: group.created_at,
    parent_id: group.parent_id,
    organization_id: 1,
    shared_runners_setting: settings.shared_runners_setting,
    max_artifacts_size: settings.max_artifacts_size,
    ip_restriction_ranges: settings.ip_restriction_ranges,
    file_template_project_id: settings.file_template_project_id,
    wiki_access_level: settings.wiki_access_level,
    ...(paid ? { marked_for_deletion_on: dateOf(group.marked_for_deletion_at) } : {}),
  };
}

/** A single group (api.md 2, Group). Sharing with other groups does not exist, so the two lists of it are empty. */
export function presentGroup(group: GroupRow, view: GroupView, instance: Instance) {
  const settings = settingsOf(group);
  const paid = (group.tier ?? instance.tier) !== 'free';
  return {
    ...presentGroupItem(group, instance),
    shared_with_groups: [],
    ...(group.parent_id === null
      ? { prevent_sharing_groups_outside_hierarchy: settings.prevent_sharing_groups_outside_hierarchy }
      : {}),
    ...(view.administers
      ? { runners_token: view.runnersToken, enabled_git_access_protocol: settings.enabled_git_access_protocol }
      : {}),
    ...(view.administers && group.parent_id === null ? { tier: group.tier } : {}),
    ...(view.projects === undefined ? {} : { projects: view.projects, shared_projects: [] }),
    ...(paid
      ? {
          allowed_email_domains_list: settings.allowed_email_domains_list,
          shared_runners_minutes_limit: settings.shared_runners_minutes_limit,
          extra_shared_runners_minutes_limit: settings.extra_shared_runners_minutes_limit,
          membership_lock: settings.membership_lock,
          assistant_features_enabled: settings.assistant_features_enabled,
          lock_assistant_features_enabled: settings.lock_assistant_features_enabled,
          assistant_availability: settings.assistant_availability,
          experiment_features_enabled: settings.experiment_features_enabled,
        }
      : {}),
  };
}
