import { avatarUrl } from '@switchyard/directory';
import type { Instance } from '../../projects';
import { numberOf } from '../../rules';
import type { SharedGroup } from '../../shares';
import { presentGroupStatistics, presentRootStorageStatistics } from '../../statistics';
import { type GroupRow, repositoryStorage, settingsOf } from '../domain/group-row';
import { fixedSettings, paidFixedSettings } from './fixed-settings';

/** A group with what its Owners alone are shown. */
export interface GroupView {
  /** The viewer is an Owner or an administrator. */
  administers: boolean;
  runnersToken: string;
  /** Groups it is shared with. */
  sharedWith: SharedGroup[];
  /** Rendered projects, when they were requested. */
  projects: unknown[] | undefined;
  /** Those shared with the group, when they were requested. */
  sharedProjects: unknown[] | undefined;
}

const dateOf = (timestamp: Date | null): string | null =>
  timestamp === null ? null : timestamp.toISOString().slice(0, 10);

/** What administrators asked for beside the group (api.md 2, Group). */
const presentExtras = ({ sizes, custom_attributes }: GroupRow) => ({
  ...(sizes === undefined ? {} : { statistics: presentGroupStatistics(sizes.own) }),
  ...(sizes?.root ? { root_storage_statistics: presentRootStorageStatistics(sizes.root) } : {}),
  ...(custom_attributes === undefined ? {} : { custom_attributes }),
});

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
    ...fixedSettings,
    share_with_group_lock: settings.share_with_group_lock,
    project_creation_level: settings.project_creation_level,
    subgroup_creation_level: settings.subgroup_creation_level,
    emails_disabled: !settings.emails_enabled,
    emails_enabled: settings.emails_enabled,
    mentions_disabled: settings.mentions_disabled,
    default_branch: settings.default_branch,
    default_branch_protection: numberOf(settings.default_branch_protection_defaults),
    default_branch_protection_defaults: settings.default_branch_protection_defaults,
    avatar_url: avatarUrl(group.avatar_url, instance.externalUrl),
    request_access_enabled: settings.request_access_enabled,
    repository_storage: repositoryStorage,
    full_name: group.full_name,
    full_path: group.full_path,
    created_at: group.created_at,
    parent_id: group.parent_id,
    organization_id: 1,
    ip_restriction_ranges: settings.ip_restriction_ranges,
    ...(paid ? { marked_for_deletion_on: dateOf(group.marked_for_deletion_at) } : {}),
    ...presentExtras(group),
  };
}

/** A single group (api.md 2, Group). */
export function presentGroup(group: GroupRow, view: GroupView, instance: Instance) {
  const settings = settingsOf(group);
  const paid = (group.tier ?? instance.tier) !== 'free';
  return {
    ...presentGroupItem(group, instance),
    shared_with_groups: view.sharedWith,
    ...(group.parent_id === null
      ? { prevent_sharing_groups_outside_hierarchy: settings.prevent_sharing_groups_outside_hierarchy }
      : {}),
    ...(view.administers
      ? { runners_token: view.runnersToken, enabled_git_access_protocol: group.git_protocol ?? 'all' }
      : {}),
    ...(view.administers && group.parent_id === null ? { tier: group.tier } : {}),
    ...(view.projects === undefined ? {} : { projects: view.projects, shared_projects: view.sharedProjects }),
    ...(paid
      ? {
          allowed_email_domains_list: settings.allowed_email_domains_list,
          ...paidFixedSettings,
          membership_lock: settings.membership_lock,
        }
      : {}),
  };
}

/** A group to which something may be moved. */
export const presentLocation = (group: GroupRow, { externalUrl }: Instance) => ({
  id: group.id,
  web_url: `${externalUrl}/groups/${group.full_path}`,
  name: group.name,
  avatar_url: avatarUrl(group.avatar_url, externalUrl),
  full_name: group.full_name,
  full_path: group.full_path,
});
