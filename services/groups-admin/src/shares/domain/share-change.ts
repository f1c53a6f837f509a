import { badRequest, conflict, notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import { type MemberActor, mayChange, mayGrant, refusePastExpiry } from '../../members';
import type { Parent } from '../../parents';
import type { Share } from './share-row';

/** Why a share ended. */
export type ShareRemovalReason = 'removed' | 'expired' | 'parent_deleted';

/** What a user gives to the members of an invited group. */
export interface ShareRole {
  readonly level: number;
  /** `YYYY-MM-DD`; undefined for none. */
  readonly expiresAt: string | undefined;
}

/** Which pair of a group or project and an invited group changes. */
export interface ShareChangeRequest {
  readonly source: Parent;
  /** The invited group. */
  readonly groupId: number;
  /** The actor, who has to see the invited group. */
  readonly viewer: Viewer;
  /** Refuses the change when the share changed after this timestamp. */
  readonly unmodifiedSince?: Date | undefined;
}

/** What a decision about a share depends on. */
export interface ShareFacts {
  /** Groups above what is shared, from the root on; a shared group is the last one itself. */
  readonly ancestry: readonly number[];
  /** Whether one of these has `share_with_group_lock`. */
  readonly isLocked: boolean;
  /** Whether the top-level group has `prevent_sharing_groups_outside_hierarchy`. */
  readonly keepsToHierarchy: boolean;
  /** Groups above the invited one, itself included; undefined when the actor does not see it. */
  readonly invitedAncestry: readonly number[] | undefined;
  /** The share of the pair, expired or not. */
  readonly share: Share | undefined;
}

/** The result of a change of a share. */
export type ShareDecision =
  /** `replaced`: an expired share of the pair, which goes. */
  | { readonly kind: 'created'; readonly role: ShareRole; readonly replaced: Share | undefined }
  | { readonly kind: 'removed'; readonly share: Share };

/** Texts of clients: what is shared already, and what its members have anyway. */
const texts = {
  group: {
    again: 'Shared group The group has already been shared with this group',
    above: 'Group cannot be shared with itself or one of its ancestors.',
    locked: 'The group sharing with group is disabled',
  },
  project: {
    again: 'Group already shared with this group',
    above: 'Project cannot be shared with the group it is in or one of its ancestors.',
    locked: 'The project sharing with group is disabled',
  },
} as const;

/**
 * Shares a group or project with a group (G-4.15-8).
 * @param today `YYYY-MM-DD`, UTC
 * @throws AppError forbidden for a level above the actor's own; invalid for a date in the past; not_found for a group
 *   that the actor does not see, or that lies outside the hierarchy that the top-level group keeps to; bad_request under
 *   a lock; conflict for a second share, and for a group whose members are members already
 */
export function decideCreate(
  actor: MemberActor,
  source: Parent,
  role: ShareRole,
  facts: ShareFacts,
  today: string,
): ShareDecision {
  mayGrant(actor, role.level);
  refusePastExpiry(role.expiresAt ?? '', today);
  const { invitedAncestry, ancestry, isLocked, keepsToHierarchy, share } = facts;
  if (invitedAncestry === undefined) throw notFound('Group');
  if (isLocked) throw badRequest(texts[source.kind].locked);
  if (keepsToHierarchy && invitedAncestry[0] !== ancestry[0]) throw notFound();
  if (ancestry.includes(invitedAncestry.at(-1) ?? 0)) throw conflict(texts[source.kind].above);
  if (share !== undefined && !share.expired) throw conflict(texts[source.kind].again);
  return { kind: 'created', role, replaced: share };
}

/**
 * Ends a share.
 * @throws AppError not_found; forbidden for a level above the actor's own
 */
export function decideDelete(actor: MemberActor, { share }: ShareFacts): ShareDecision {
  if (share === undefined || share.expired) throw notFound('Group Link');
  mayChange(actor, share.access_level);
  return { kind: 'removed', share };
}
