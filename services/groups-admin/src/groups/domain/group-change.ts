import { badRequest, notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import { type AvatarChange, avatarProblems, type StoredAvatar } from '../../avatars';
import type { Viewer } from '../../directory';
import { isPaid, isWider, maxDepth, note, pathProblems, refuse, taken, type Visibility } from '../../rules';
import {
  type GroupContent,
  type GroupSettings,
  groupProblems,
  mayCreateGroup,
  mayLicense,
  type ParentGroup,
  refuseNewGroup,
} from './group';
import { type GroupRow, type NewGroup, settingsOf } from './group-row';
import { type GroupSettingsChange, settingsProblems, storedSettings } from './group-settings';
import { memberSettingsProblems, storedMemberSettings } from './member-settings';

/** A group to create. */
export interface CreateGroup {
  /** Group it lies in; undefined for the top level. */
  readonly parentId: number | undefined;
  readonly name: string;
  readonly path: string;
  readonly description: string;
  /** That of the parent, or the default of the instance, when absent. */
  readonly visibility: Visibility | undefined;
  readonly settings: GroupSettingsChange;
  readonly avatar?: AvatarChange | undefined;
}

/** A change of a group; what is absent stays. */
export interface UpdateGroup extends GroupContent {
  readonly id: number;
  readonly settings: GroupSettingsChange;
  /** Licence tier; null for the instance's. */
  readonly tier?: string | null;
  readonly avatar?: AvatarChange | undefined;
}

/** The parent that a group gets, as its actor sees it. */
export interface NewParentFacts {
  /** Undefined at the top level, and when the actor does not see it. */
  readonly parent: GroupRow | undefined;
  /** Effective level of the actor in the parent; 0 at the top level. */
  readonly parentLevel: number;
  /** Whether the actor may create groups at the top level. */
  readonly canCreateTopLevel: boolean;
  /** Whether a project in the parent has the path: groups and projects share the names below a group. */
  readonly pathTaken: boolean;
}

/** What a change of a group depends on in addition to the group. */
export interface GroupFacts {
  readonly parent: GroupRow | undefined;
  /** Whether a project in the parent has the new path; false when the path stays. */
  readonly pathTaken: boolean;
  /** Whether something inside is open to more people than the new visibility; false when that stays. */
  readonly hasWiderContent: boolean;
}

/** What a transfer of a group depends on in addition to the group. */
export interface TransferFacts extends NewParentFacts {
  /** Levels of groups below the group, itself included. */
  readonly depthBelow: number;
  /** Whether the group has service accounts; false when it moves to the top level. */
  readonly hasServiceAccounts: boolean;
}

/** Which group changes, and what is read for the decision. */
export interface GroupChangeRequest {
  readonly id: number;
  /** User who changes it; absent for a deletion or restoration, of which nothing is published. */
  readonly actorId?: number;
  /** The new path and visibility, for `GroupFacts`. */
  readonly path?: string | undefined;
  readonly visibility?: Visibility | undefined;
  /** Set or, with null, removed with the change. */
  readonly avatar?: StoredAvatar | null | undefined;
  /** Refuses the change when the group changed after this timestamp. */
  readonly unmodifiedSince?: Date | undefined;
}

/** Name and position of a group in its tree. */
export interface GroupPosition {
  readonly name: string;
  readonly path: string;
  /** Undefined at the top level. */
  readonly parentId: number | undefined;
}

/** What is saved of a change of a group, except its position. */
export type SavedGroupChange = Pick<UpdateGroup, 'visibility' | 'description' | 'tier'> & {
  readonly settings: Partial<GroupSettings>;
};

/** The result of a change of a group. */
export type GroupDecision =
  | {
      readonly kind: 'changed';
      readonly change: SavedGroupChange;
      /** Undefined when name and path stay. */
      readonly position: GroupPosition | undefined;
    }
  /** `ownerId` becomes an Owner when no Owner of the groups above or of its own reaches the group any more. */
  | { readonly kind: 'moved'; readonly position: GroupPosition; readonly ownerId: number }
  /**
   * Marked: everything below is hidden at once. `purgesNow`: the purge does not wait for the delay, and no one can
   * restore the group.
   */
  | { readonly kind: 'deleted'; readonly purgesNow: boolean }
  | { readonly kind: 'restored' };

const toParent = (group: GroupRow | undefined): ParentGroup | undefined =>
  group && { visibility: group.visibility, depth: group.ancestry.length, settings: settingsOf(group) };

function requireRights(actor: Viewer, { parent, parentLevel, canCreateTopLevel }: NewParentFacts): void {
  mayCreateGroup({ admin: actor.admin, canCreateGroup: canCreateTopLevel, parentLevel }, toParent(parent));
}

/**
 * Creates a group.
 * @param instance its tier, and the visibility of a top-level group for which none is given
 * @throws AppError not_found for the parent; forbidden; invalid with all problems
 */
export function decideCreate(
  actor: Viewer,
  given: CreateGroup,
  facts: NewParentFacts,
  instance: { readonly visibility: Visibility; readonly tier: string },
): NewGroup {
  const { parent, pathTaken } = facts;
  if (given.parentId !== undefined && parent === undefined) throw notFound('Group');
  requireRights(actor, facts);
  const visibility = given.visibility ?? parent?.visibility ?? instance.visibility;
  const place = { group: undefined, parent, tier: instance.tier };
  const settings = storedSettings(storedMemberSettings(given.settings, isPaid(parent, instance.tier)), place);
  const group = { ...given, name: displayText(given.name), visibility, creatorId: actor.userId, settings };
  const problems = {
    ...groupProblems(group, toParent(parent)),
    ...memberSettingsProblems(given.settings, parent === undefined),
    ...settingsProblems(given.settings, place),
  };
  if (pathTaken) note(problems, 'path', [taken]);
  note(problems, 'avatar', avatarProblems(given.avatar));
  refuseNewGroup(problems);
  return group;
}

/**
 * Changes a group.
 * @param tier of the instance
 * @throws AppError forbidden, invalid for the tier; invalid with all problems
 */
export function decideUpdate(
  actor: Viewer,
  group: GroupRow,
  given: UpdateGroup,
  { parent, pathTaken, hasWiderContent }: GroupFacts,
  tier: string,
): GroupDecision {
  const settings = storedMemberSettings(given.settings, isPaid(group, tier));
  const change = { ...given, settings, ...(given.name === undefined ? {} : { name: displayText(given.name) }) };
  if (change.tier !== undefined) mayLicense(actor, toParent(parent));
  const place = { group, parent, tier };
  const problems = {
    ...groupProblems(change, toParent(parent)),
    ...memberSettingsProblems(given.settings, parent === undefined),
    ...settingsProblems(given.settings, place),
  };
  const { name = group.name, path = group.path } = change;
  if (hasWiderContent) {
    note(problems, 'visibility_level', [
      `${change.visibility} is not allowed since this group contains projects or sub-groups with higher visibility.`,
    ]);
  }
  if (pathTaken) note(problems, 'path', [taken]);
  note(problems, 'avatar', avatarProblems(given.avatar));
  refuse(problems);
  const moves = path !== group.path || name !== group.name;
  return {
    kind: 'changed',
    change: { ...change, settings: storedSettings(settings, place) },
    position: moves ? { name, path, parentId: group.parent_id ?? undefined } : undefined,
  };
}

/** The refusal of a transfer to a group that has the path already. */
export const transferPathTaken = () =>
  badRequest('The parent group already has a subgroup or a project with the same path.');

/** Settings of a top-level group end with a move below another one, which must open nothing unnoticed. */
function refuseTopLevelSettings(group: GroupRow): void {
  const settings = settingsOf(group);
  const set = [
    ...(settings.ip_restriction_ranges === null ? [] : ['ip_restriction_ranges']),
    ...(settings.allowed_email_domains_list === null ? [] : ['allowed_email_domains_list']),
    ...(settings.prevent_sharing_groups_outside_hierarchy ? ['prevent_sharing_groups_outside_hierarchy'] : []),
    ...(settings.enabled_git_access_protocol === 'all' ? [] : ['enabled_git_access_protocol']),
  ];
  if (set.length > 0) throw badRequest(`Only a top-level group can have ${set.join(', ')}. Reset it first.`);
}

/**
 * Moves a group under another group, or to the top level (G-4.15-8).
 * @throws AppError not_found for the parent; forbidden; bad_request with the reason
 */
export function decideTransfer(
  actor: Viewer,
  group: GroupRow,
  parentId: number | undefined,
  facts: TransferFacts,
): GroupDecision {
  const { parent, pathTaken, depthBelow, hasServiceAccounts } = facts;
  if (parentId !== undefined && parent === undefined) throw notFound('Group');
  if ((group.parent_id ?? undefined) === parentId) {
    throw badRequest(
      parentId === undefined ? 'Group is already a root group.' : 'Group is already associated to the parent group.',
    );
  }
  if (parent?.ancestry.includes(group.id)) throw badRequest('Cannot transfer group to one of its subgroup.');
  requireRights(actor, facts);
  const [reserved] = pathProblems(group.path, { atTop: parent === undefined });
  if (reserved !== undefined) throw badRequest(`Path ${reserved}.`);
  if (parent !== undefined) {
    refuseTopLevelSettings(group);
    if (hasServiceAccounts)
      throw badRequest('Only a top-level group can have service accounts. Delete those of the group first.');
    if (isWider(group.visibility, parent.visibility))
      throw badRequest("Group contains projects or sub-groups with higher visibility than the parent group's.");
    if (parent.ancestry.length + depthBelow > maxDepth)
      throw badRequest(`Group would lie deeper than ${maxDepth} levels.`);
    if (pathTaken) throw transferPathTaken();
  }
  const { name, path } = group;
  return { kind: 'moved', position: { name, path, parentId }, ownerId: actor.userId };
}

/** How an instance deletes. */
export interface DeletionRules {
  /** Tier of the instance. */
  readonly tier: string;
  /** Days between mark and purge. */
  readonly delayDays: number;
}

/**
 * Deletes a group (G-4.15-7): after the delay, or at once where there is none or the tier is `free`.
 * @param confirmed the full path that confirms the immediate deletion of a marked subgroup; undefined for a first mark
 * @throws AppError bad_request for a group that is marked already; with `confirmed`, for a top-level group, for a wrong
 *   full path and for a subgroup that is not marked yet
 */
export function decideDelete(
  group: GroupRow,
  confirmed: { readonly fullPath: string } | undefined,
  { tier, delayDays }: DeletionRules,
): GroupDecision {
  const isMarked = group.marked_for_deletion_at !== null;
  const isImmediate = delayDays === 0 || !isPaid(group, tier);
  if (confirmed === undefined || !isPaid(group, tier)) {
    if (isMarked) throw badRequest('Group has been already marked for deletion');
    return { kind: 'deleted', purgesNow: isImmediate };
  }
  if (group.parent_id === null) throw badRequest('`permanently_remove` option is only available for subgroups.');
  if (confirmed.fullPath !== group.full_path)
    throw badRequest('`full_path` is incorrect. You must enter the complete path for the subgroup.');
  if (!isMarked && !isImmediate) throw badRequest('Group must be marked for deletion first.');
  return { kind: 'deleted', purgesNow: true };
}

/**
 * Restores a group.
 * @throws AppError bad_request for one that is not marked
 */
export function decideRestore(group: GroupRow): GroupDecision {
  if (group.marked_for_deletion_at === null) throw badRequest('Group has not been marked for deletion');
  return { kind: 'restored' };
}
