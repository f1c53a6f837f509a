import { type AppError, forbidden, invalid } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import {
  isWider,
  lengthProblems,
  maxDepth,
  nameProblems,
  note,
  type Problems,
  pathProblems,
  type Visibility,
} from '../../rules';

/** Protection of the default branches of new projects. */
export interface BranchProtection {
  allowed_to_push: { access_level: number }[];
  allow_force_push: boolean;
  allowed_to_merge: { access_level: number }[];
  developer_can_initial_push: boolean;
}

/** Settings of a group under their public names (api.md 2); one that was never set has its default. */
export interface GroupSettings {
  share_with_group_lock: boolean;
  require_two_factor_authentication: boolean;
  two_factor_grace_period: number;
  project_creation_level: string;
  auto_devops_enabled: boolean | null;
  subgroup_creation_level: string;
  emails_enabled: boolean;
  mentions_disabled: boolean | null;
  lfs_enabled: boolean;
  request_access_enabled: boolean;
  default_branch: string | null;
  default_branch_protection: number;
  default_branch_protection_defaults: BranchProtection;
  enabled_git_access_protocol: string;
  membership_lock: boolean;
  shared_runners_minutes_limit: number | null;
  extra_shared_runners_minutes_limit: number | null;
  wiki_access_level: string;
  experiment_features_enabled: boolean;
  assistant_availability: string;
  assistant_features_enabled: boolean;
  lock_assistant_features_enabled: boolean;
  prevent_sharing_groups_outside_hierarchy: boolean;
  shared_runners_setting: string;
  file_template_project_id: number | null;
  ip_restriction_ranges: string | null;
  allowed_email_domains_list: string | null;
  math_rendering_limits_enabled: boolean;
  lock_math_rendering_limits_enabled: boolean;
  max_artifacts_size: number | null;
}

/** Settings of a group whose Owners never set any. */
export const groupDefaults: GroupSettings = {
  share_with_group_lock: false,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  project_creation_level: 'developer',
  auto_devops_enabled: null,
  subgroup_creation_level: 'maintainer',
  emails_enabled: true,
  mentions_disabled: null,
  lfs_enabled: true,
  request_access_enabled: true,
  default_branch: null,
  default_branch_protection: 2,
  default_branch_protection_defaults: {
    allowed_to_push: [{ access_level: 40 }],
    allow_force_push: false,
    allowed_to_merge: [{ access_level: 40 }],
    developer_can_initial_push: false,
  },
  enabled_git_access_protocol: 'all',
  membership_lock: false,
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  wiki_access_level: 'enabled',
  experiment_features_enabled: false,
  assistant_availability: 'default_on',
  assistant_features_enabled: true,
  lock_assistant_features_enabled: false,
  prevent_sharing_groups_outside_hierarchy: false,
  shared_runners_setting: 'enabled',
  file_template_project_id: null,
  ip_restriction_ranges: null,
  allowed_email_domains_list: null,
  math_rendering_limits_enabled: true,
  lock_math_rendering_limits_enabled: false,
  max_artifacts_size: null,
};

/** What the older numbers 0 to 4 of `default_branch_protection` mean in full. */
export function protectionOf(number: number): BranchProtection {
  const developers = [{ access_level: 30 }];
  const maintainers = [{ access_level: 40 }];
  return {
    allowed_to_push: number === 0 || number === 1 ? developers : maintainers,
    allow_force_push: number === 0,
    allowed_to_merge: number === 0 || number === 1 || number === 3 ? developers : maintainers,
    developer_can_initial_push: number === 4,
  };
}

/** A parent as far as rules depend on it. */
export interface ParentGroup {
  visibility: Visibility;
  /** Depth from the root, 1 for a top-level group. */
  depth: number;
  settings: Pick<GroupSettings, 'subgroup_creation_level'>;
}

/** What names and describes a group. */
export interface GroupContent {
  name?: string;
  path?: string;
  description?: string;
  visibility?: Visibility;
}

/** The level that creates subgroups in a group. */
export const subgroupLevel = (parent: ParentGroup): number =>
  parent.settings.subgroup_creation_level === 'owner' ? levels.owner : levels.maintainer;

/**
 * Whether an actor may make a group there.
 * @throws AppError forbidden
 */
export function mayCreateGroup(
  actor: { admin: boolean; canCreateGroup: boolean; parentLevel: number },
  parent: ParentGroup | undefined,
): void {
  if (actor.admin) return;
  const may = parent === undefined ? actor.canCreateGroup : actor.parentLevel >= subgroupLevel(parent);
  if (!may) throw forbidden();
}

/** What is wrong with a new or changed group; `parent` undefined at the top level. */
export function groupProblems(content: GroupContent, parent: ParentGroup | undefined): Problems {
  const problems: Problems = {};
  if (content.name !== undefined) note(problems, 'name', nameProblems(content.name));
  if (content.path !== undefined) note(problems, 'path', pathProblems(content.path, { atTop: parent === undefined }));
  note(problems, 'description', lengthProblems(content.description, 500));
  if (parent !== undefined && content.visibility !== undefined && isWider(content.visibility, parent.visibility)) {
    note(problems, 'visibility_level', [
      `${content.visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`,
    ]);
  }
  if (parent !== undefined && parent.depth >= maxDepth) {
    note(problems, 'parent_id', [`has too deep level of nesting`]);
  }
  return problems;
}

/**
 * Whether an actor may give a group a licence tier (G-13-16): administrators, to top-level groups, whose tier holds for
 * all below.
 * @throws AppError forbidden or invalid
 */
export function mayLicense(actor: { admin: boolean }, parent: ParentGroup | undefined): void {
  if (!actor.admin) throw forbidden();
  if (parent !== undefined) throw invalid({ tier: ['can only be set on a top-level group'] });
}

/** The refusal of a new group: one text that lists the fields (G-4.15-5). */
export function newGroupRefusal(problems: Problems): AppError {
  const listed = Object.entries(problems).map(
    ([field, texts]) => `:${field}=>[${texts.map((text) => JSON.stringify(text)).join(', ')}]`,
  );
  return invalid(`Failed to save group {${listed.join(', ')}}`);
}

/** @throws AppError invalid when there are problems */
export function refuseNewGroup(problems: Problems): void {
  if (Object.keys(problems).length > 0) throw newGroupRefusal(problems);
}
