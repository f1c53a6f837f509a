import { badRequest, forbidden, notAllowed, notFound } from '@switchyard/errors';
import type { Parent } from '../../parents';
import type { TokenRecord } from './personal-access-token-row';

/** An access token of a project or group, with the level of its bot. */
export interface AccessTokenRecord extends TokenRecord {
  access_level: number;
  project_id: number | null;
  namespace_id: number | null;
}

/** The user who manages access tokens. */
export interface AccessTokenActor {
  readonly userId: number;
  readonly admin: boolean;
  /** Token that was presented; 0 for none. */
  readonly tokenId: number;
  /** Effective level in the project or group. */
  readonly level: number;
}

/** Days for which a bot and its tokens are kept once none of them is good. */
export const keptDays = 30;

/**
 * No one gives a bot more than they have.
 * @throws AppError bad_request
 */
export function refuseHigherLevel({ admin, level }: AccessTokenActor, wanted: number): void {
  if (!admin && wanted > level) throw badRequest("Access level of the token can't exceed the access level of the user");
}

/**
 * The token that an actor may revoke or replace: one of the project or group, of no higher level than theirs.
 * @throws AppError not_found, forbidden
 */
export function requireToken(token: AccessTokenRecord | undefined, actor: AccessTokenActor): AccessTokenRecord {
  if (token === undefined) throw notFound('Access Token');
  if (!actor.admin && token.access_level > actor.level) throw forbidden();
  return token;
}

/**
 * The token that was presented, where it is one of the project or group.
 * @throws AppError not_allowed
 */
export function requireOwnToken(token: AccessTokenRecord | undefined): AccessTokenRecord {
  if (token === undefined) throw notAllowed();
  return token;
}

/** Username of a new bot. */
export const botUsername = ({ kind, id }: Parent, random: string): string => `${kind}_${id}_bot_${random}`;
