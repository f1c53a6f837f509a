import { forbidden, invalid, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { Parent } from '../../parents';
import { type Admission, refuseAdmission } from './admission';

/** A pending request. */
export interface AccessRequest {
  readonly id: number;
  readonly userId: number;
  readonly source: Parent;
}

/** A pending request with its user, as it is printed. */
export interface AccessRequestRow {
  /** Id of the user. */
  id: number;
  username: string;
  name: string;
  state: string;
  avatar_url: string | null;
  public_email: string;
  requested_at: Date;
}

/** The user who requests, approves, denies or withdraws. */
export interface AccessRequestActor {
  readonly userId: number;
  readonly admin: boolean;
  /** Effective level in the group or project. */
  readonly level: number;
}

/** What a decision about a request depends on. */
export interface AccessRequestFacts {
  /** Setting of the group or project. */
  readonly requestAccessEnabled: boolean;
  /** Whether users see the group or project who are no members of anything in it. */
  readonly isOpen: boolean;
  /** The pending request of the user. */
  readonly request: AccessRequest | undefined;
  readonly admission: Admission;
}

/** How a request ended. */
export type AccessRequestEnd =
  | { readonly kind: 'approved'; readonly level: number }
  | { readonly kind: 'denied' | 'withdrawn' }
  | { readonly kind: 'lapsed'; readonly reason: 'became_member' | 'user_deleted' | 'parent_deleted' };

/**
 * Whether a user may request access. Members cannot: they are let in already. In a project whose members are locked a
 * request could never be approved.
 * @throws AppError forbidden; invalid for a pending request, and for an e-mail that is not admitted
 */
export function requireMayRequest(actor: AccessRequestActor, source: Parent, facts: AccessRequestFacts): void {
  const { requestAccessEnabled, isOpen, request, admission } = facts;
  if (actor.level > 0 || !requestAccessEnabled || !isOpen) throw forbidden();
  if (source.kind === 'project' && admission.membersLocked) throw forbidden();
  if (request !== undefined) throw invalid({ user_id: ['already exists in source'] });
  refuseAdmission(source, admission);
}

/**
 * Ends a request: users withdraw their own, and those who may approve requests deny them.
 * @throws AppError forbidden; not_found
 */
export function decideEnd(
  actor: AccessRequestActor,
  userId: number,
  { source, request }: { readonly source: Parent; readonly request: AccessRequest | undefined },
): AccessRequestEnd {
  const isOwn = actor.userId === userId;
  const needed = source.kind === 'group' ? levels.owner : levels.maintainer;
  if (!isOwn && !actor.admin && actor.level < needed) throw forbidden();
  if (request === undefined) throw notFound();
  return { kind: isOwn ? 'withdrawn' : 'denied' };
}
