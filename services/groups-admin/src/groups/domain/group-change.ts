import { badRequest, notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Viewer } from '../../directory';
import { isWider, maxDepth, note, refuse, taken, type Visibility } from '../../rules';
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

/** A group to create. */
export interface CreateGroup {
  /** Group it lies in; undefined for the top level. */
  readonly parentId: number | undefined;
  readonly name: string;
  readonly path: string;
  readonly description: string;
  /** That of the parent, or private, when absent. */
  readonly visibility: Visibility | undefined;
  readonly settings: Partial<GroupSettings>;
}

/** A change of a group; what is absent stays. */
export interface UpdateGroup extends GroupContent {
  readonly id: number;
  readonly settings: Partial<GroupSettings>;
  /** Licence tier; null for the instance's. */
  readonly tier?: string | null;
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

/** What a change of a group depends on besides the group. */
export interface GroupFacts {
  readonly parent: GroupRow | undefined;
  /** Whether a project in the parent has the new path; false when the path stays. */
  readonly pathTaken: boolean;
  /** Whether something inside is open to more people than the new visibility; false when that stays. */
  readonly hasWiderContent: boolean;
}

/** What a transfer of a group depends on besides the group. */
export interface TransferFacts extends NewParentFacts {
  /** Levels of groups below the group, itself included. */
  readonly depthBelow: number;
}

/** Which group changes, and what is read for the decision. */
export interface GroupChangeRequest {
  readonly id: number;
  /** The new path and visibility, for `GroupFacts`. */
  readonly path?: string | undefined;
  readonly visibility?: Visibility | undefined;
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

/** The result of a change of a group. */
export type GroupDecision =
  | {
      readonly kind: 'changed';
      readonly change: Pick<UpdateGroup, 'visibility' | 'description' | 'settings' | 'tier'>;
      /** Undefined when name and path stay. */
      readonly position: GroupPosition | undefined;
    }
  /** `ownerId` becomes an Owner when no Owner of the groups above or of its own reaches the group any more. */
  | { readonly kind: 'moved'; readonly position: GroupPosition; readonly ownerId: number }
  /** Marked: everything below is hidden at once. `purgesNow`: the purge does not wait for the delay. */
  | { readonly kind: 'deleted'; readonly purgesNow: boolean }
  | { readonly kind: 'restored' };

const toParent = (group: GroupRow | undefined): ParentGroup | undefined =>
  group && { visibility: group.visibility, depth: group.ancestry.length, settings: settingsOf(group) };

function requireRights(actor: Viewer, { parent, parentLevel, canCreateTopLevel }: NewParentFacts): void {
  mayCreateGroup({ admin: actor.admin, canCreateGroup: canCreateTopLevel, parentLevel }, toParent(parent));
}

/**
 * Creates a group.
 * @throws AppError not_found for the parent; forbidden; invalid with all problems
 */
export function decideCreate(actor: Viewer, given: CreateGroup, facts: NewParentFacts): NewGroup {
  const { parent, pathTaken } = facts;
  if (given.parentId !== undefined && parent === undefined) throw notFound('Group');
  requireRights(actor, facts);
  const visibility = given.visibility ?? parent?.visibility ?? 'private';
  const group = { ...given, name: displayText(given.name), visibility, creatorId: actor.userId };
  const problems = groupProblems(group, toParent(parent));
  if (pathTaken) note(problems, 'path', [taken]);
  refuseNewGroup(problems);
  return group;
}

/**
 * Changes a group.
 * @throws AppError forbidden, invalid for the tier; invalid with all problems
 */
export function decideUpdate(
  actor: Viewer,
  group: GroupRow,
  given: UpdateGroup,
  { parent, pathTaken, hasWiderContent }: GroupFacts,
): GroupDecision {
  const change = { ...given, ...(given.name === undefined ? {} : { name: displayText(given.name) }) };
  if (change.tier !== undefined) mayLicense(actor, toParent(parent));
  const problems = groupProblems(change, toParent(parent));
  const { name = group.name, path = group.path } = change;
  if (hasWiderContent) {
    note(problems, 'visibility_level', [
      `${change.visibility} is not allowed since this group contains projects or sub-groups with higher visibility.`,
    ]);
  }
  if (pathTaken) note(problems, 'path', [taken]);
  refuse(problems);
  const moves = path !== group.path || name !== group.name;
  return {
    kind: 'changed',
    change,
    position: moves ? { name, path, parentId: group.parent_id ?? undefined } : undefined,
  };
}

/** The refusal of a transfer to a group that has the path already. */
export const transferPathTaken = () =>
  badRequest('The parent group already has a subgroup or a project with the same path.');

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
  const { parent, pathTaken, depthBelow } = facts;
  if (parentId !== undefined && parent === undefined) throw notFound('Group');
  if ((group.parent_id ?? undefined) === parentId) {
    throw badRequest(
      parentId === undefined ? 'Group is already a root group.' : 'Group is already associated to the parent group.',
    );
  }
  if (parent?.ancestry.includes(group.id)) throw badRequest('Cannot transfer group to one of its subgroup.');
  requireRights(actor, facts);
  if (parent !== undefined) {
    if (isWider(group.visibility, parent.visibility))
      throw badRequest("Group contains projects or sub-groups with higher visibility than the parent group's.");
    if (parent.ancestry.length + depthBelow > maxDepth)
      throw badRequest(`Group would lie deeper than ${maxDepth} levels.`);
    if (pathTaken) throw transferPathTaken();
  }
  const { name, path } = group;
  return { kind: 'moved', position: { name, path, parentId }, ownerId: actor.userId };
}

/**
 * Deletes a group (G-4.15-7).
 * @param confirmed the full path that confirms an immediate deletion; undefined for one after the delay
 * @throws AppError bad_request for an immediate deletion of a top-level group, and for a wrong full path
 */
export function decideDelete(group: GroupRow, confirmed: { readonly fullPath: string } | undefined): GroupDecision {
  if (confirmed !== undefined) {
    if (group.parent_id === null) throw badRequest('`permanently_remove` option is only available for subgroups.');
    if (confirmed.fullPath !== group.full_path)
      throw badRequest('`full_path` is incorrect. You must enter the complete path for the subgroup.');
  }
  return { kind: 'deleted', purgesNow: confirmed !== undefined };
}

/**
 * Restores a group.
 * @throws AppError not_found when another request has restored it
 */
export function decideRestore(group: GroupRow): GroupDecision {
  if (group.marked_for_deletion_at === null) throw notFound('Group');
  return { kind: 'restored' };
}
