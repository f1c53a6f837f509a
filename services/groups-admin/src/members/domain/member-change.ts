import { conflict, forbidden, isAppError, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { type Admission, refuseAdmission } from '../../access-requests';
import type { Parent } from '../../parents';
import {
  type MemberActor,
  mayChange,
  mayGrant,
  mayRemove,
  refuseBelowInherited,
  refuseMinimalInProject,
  refusePastExpiry,
} from './member';
import type { Membership } from './member-row';

/** Why a membership ended. */
export type MemberRemovalReason = 'removed' | 'left' | 'expired' | 'parent_deleted';

/** Level and expiry that a user gives to a member. */
export interface MemberRole {
  readonly level: number;
  /** `YYYY-MM-DD`; empty for none. Undefined: none for a new member, and no change for another one. */
  readonly expiresAt: string | undefined;
}

/** What a decision about one user's membership depends on. */
export interface MemberFacts {
  readonly userId: number;
  /** The direct membership, expired or not. */
  readonly membership: Membership | undefined;
  /** Highest level from the groups above; 0 for none, or when it was not requested. */
  readonly inheritedLevel: number;
  /**
   * Whether the user is an Owner whom the source has to keep: the last one of a group, and in a project the owner of
   * its namespace. False when it was not requested.
   */
  readonly isRequiredOwner: boolean;
  /** Whether the user is the bot of an access token of the source itself. False when it was not requested. */
  readonly isOwnBot: boolean;
  /** Direct memberships in the groups and projects below a group; empty when they were not requested. */
  readonly below: readonly Membership[];
  /** What the settings of the groups say of the user; undefined when it was not requested. */
  readonly admission: Admission | undefined;
  /** Whether the user has a pending access request; false when it was not requested. */
  readonly hasRequest: boolean;
}

/** Whose memberships change, and what is read for the decisions. */
export interface MemberChangeRequest {
  readonly source: Parent;
  readonly actorId: number;
  readonly userIds: readonly number[];
  readonly reads: readonly ('inheritedLevel' | 'isRequiredOwner' | 'below' | 'isOwnBot' | 'admission' | 'hasRequest')[];
}

/** The result of a change of one membership. */
export type MemberDecision =
  | {
      readonly kind: 'added';
      readonly role: MemberRole;
      /** Since when a member of an archive was one: nobody is notified of history (D6). */
      readonly since?: Date;
    }
  | { readonly kind: 'changed'; readonly membership: Membership; readonly role: MemberRole }
  | {
      readonly kind: 'removed';
      readonly memberships: readonly Membership[];
      readonly reason: MemberRemovalReason;
    };

/**
 * Refuses a role that the actor may not give, or that no member of the source can have.
 * @param today `YYYY-MM-DD`, UTC
 * @throws AppError forbidden, invalid
 */
export function requireRole(actor: MemberActor, source: Parent, { level, expiresAt }: MemberRole, today: string): void {
  mayGrant(actor, level);
  refuseMinimalInProject(source.kind, level);
  refusePastExpiry(expiresAt ?? '', today);
}

/**
 * Adds a user, or replaces an expired membership.
 * @throws AppError conflict for a member; not_allowed and invalid for one whom the settings do not admit; invalid for a
 * level below the inherited one
 */
export function decideAdd(
  source: Parent,
  { membership, inheritedLevel, admission }: MemberFacts,
  role: MemberRole,
): MemberDecision {
  if (membership !== undefined && !membership.expired) throw conflict('Member already exists');
  if (admission !== undefined) refuseAdmission(source, admission);
  refuseBelowInherited(role.level, inheritedLevel);
  return { kind: 'added', role };
}

/** A member as an archive has one. */
export interface ImportedMember {
  /** Id, or a username in any case. */
  readonly user: number | string;
  readonly level: number;
  readonly expiresAt: Date | undefined;
  readonly since: Date;
}

/**
 * Adds a member of an archive, whose level the actor may give; undefined for one who is a member already, directly or with
 * a higher level from above, whom the settings do not admit, and whose membership has run out.
 */
export function decideImport(
  actor: MemberActor,
  source: Parent,
  facts: MemberFacts,
  { level, expiresAt, since }: ImportedMember,
  now: Date,
): MemberDecision | undefined {
  if (expiresAt !== undefined && expiresAt <= now) return undefined;
  const role = { level, expiresAt: expiresAt?.toISOString().slice(0, 10) };
  try {
    requireRole(actor, source, role, now.toISOString().slice(0, 10));
    decideAdd(source, facts, role);
    return { kind: 'added', role, since };
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

/**
 * Adds the user of a pending access request.
 * @throws AppError not_found without one; else as `decideAdd`
 */
export function decideApprove(source: Parent, facts: MemberFacts, role: MemberRole): MemberDecision {
  if (!facts.hasRequest) throw notFound();
  return decideAdd(source, facts, role);
}

/**
 * Changes level or expiry of a direct member.
 * @throws AppError not_found; forbidden; invalid for a level below the inherited one
 */
export function decideUpdate(actor: MemberActor, facts: MemberFacts, role: MemberRole): MemberDecision {
  const { membership, inheritedLevel, isRequiredOwner } = facts;
  if (membership === undefined || membership.expired) throw notFound();
  // The membership of a bot follows its token; those in what it has made itself do not.
  if (facts.isOwnBot) throw forbidden();
  mayChange(actor, membership.access_level);
  if (isRequiredOwner && role.level < levels.owner) throw forbidden();
  refuseBelowInherited(role.level, inheritedLevel);
  return { kind: 'changed', membership, role };
}

/**
 * Removes a direct member with their memberships below.
 * @throws AppError not_found, forbidden
 */
export function decideRemove(actor: MemberActor, source: Parent, facts: MemberFacts): MemberDecision {
  const { userId, membership, isRequiredOwner, below } = facts;
  const needed = source.kind === 'group' ? levels.owner : levels.maintainer;
  mayRemove(actor, { userId, level: membership?.access_level ?? 0 }, needed);
  if (membership === undefined || membership.expired) throw notFound();
  if (isRequiredOwner || facts.isOwnBot) throw forbidden();
  const reason = actor.userId === userId ? 'left' : 'removed';
  return { kind: 'removed', memberships: [membership, ...below], reason };
}
