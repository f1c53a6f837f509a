import { type AppError, forbidden, invalid } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import {
  type BranchProtection,
  defaultProtection,
  isWider,
  lengthProblems,
  maxDepth,
  nameProblems,
  note,
  type Problems,
  pathProblems,
  type Visibility,
} from '../../rules';

/** Settings of a group that are stored, under their public names (api.md 2); one that was never set has its default. */
export interface GroupSettings {
  share_with_group_lock: boolean;
  project_creation_level: string;
  subgroup_creation_level: string;
  emails_enabled: boolean;
  mentions_disabled: boolean | null;
  request_access_enabled: boolean;
  default_branch: string | null;
  default_branch_protection_defaults: BranchProtection;
  enabled_git_access_protocol: string;
  membership_lock: boolean;
  prevent_sharing_groups_outside_hierarchy: boolean;
  ip_restriction_ranges: string | null;
  allowed_email_domains_list: string | null;
}

/** Settings of a group whose Owners never set any. */
export const groupDefaults: GroupSettings = {
  share_with_group_lock: false,
  project_creation_level: 'developer',
  subgroup_creation_level: 'maintainer',
  emails_enabled: true,
  mentions_disabled: null,
  request_access_enabled: true,
  default_branch: null,
  default_branch_protection_defaults: defaultProtection,
  enabled_git_access_protocol: 'all',
  membership_lock: false,
  prevent_sharing_groups_outside_hierarchy: false,
  ip_restriction_ranges: null,
  allowed_email_domains_list: null,
};

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
