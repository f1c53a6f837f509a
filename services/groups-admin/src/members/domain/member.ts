import { forbidden, invalid } from '@switchyard/errors';
import { levels } from '@switchyard/rights';

/** The user who changes memberships. */
export interface MemberActor {
  userId: number;
  admin: boolean;
  /** Effective level in the group or project. */
  level: number;
}

/**
 * No one gives more than they have.
 * @throws AppError forbidden
 */
export function mayGrant(actor: MemberActor, level: number): void {
  if (!actor.admin && level > actor.level) throw forbidden();
}

/**
 * Whether an actor may change or remove a membership of this level; a Maintainer of a project does not touch its
 * Owners.
 * @throws AppError forbidden
 */
export function mayChange(actor: MemberActor, present: number): void {
  if (!actor.admin && present > actor.level) throw forbidden();
}

/**
 * Whether an actor may remove a member: themselves always, others with `needed`, and no one above themselves.
 * @throws AppError forbidden
 */
export function mayRemove(actor: MemberActor, member: { userId: number; level: number }, needed: number): void {
  if (actor.admin || actor.userId === member.userId) return;
  if (actor.level < needed) throw forbidden();
  mayChange(actor, member.level);
}

/**
 * A membership may not have a lower level than the user has from the groups above.
 * @throws AppError invalid
 */
export function refuseBelowInherited(level: number, inherited: number): void {
  if (level < inherited) {
    throw invalid({ access_level: [`should be greater than or equal to ${roleName(inherited)} inherited membership`] });
  }
}

const names: Record<number, string> = {
  [levels.minimal]: 'Minimal Access',
  [levels.guest]: 'Guest',
  [levels.planner]: 'Planner',
  [levels.reporter]: 'Reporter',
  [levels.developer]: 'Developer',
  [levels.maintainer]: 'Maintainer',
  [levels.owner]: 'Owner',
};

/** Name of an access level. */
export const roleName = (level: number): string => names[level] ?? 'None';

/**
 * The first day without the membership is in the future; one that is today would end it at once.
 * @param today `YYYY-MM-DD`, UTC
 * @throws AppError invalid
 */
export function refusePastExpiry(expiresAt: string, today: string): void {
  if (expiresAt !== '' && expiresAt <= today) throw invalid({ expires_at: ['cannot be a date in the past'] });
}

/**
 * Minimal access opens groups only.
 * @throws AppError invalid
 */
export function refuseMinimalInProject(kind: 'group' | 'project', level: number): void {
  if (kind === 'project' && level === levels.minimal) throw invalid({ access_level: ['is not included in the list'] });
}
