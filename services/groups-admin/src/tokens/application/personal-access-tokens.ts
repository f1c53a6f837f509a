import type { PageInfo, PageRequest } from '@switchyard/database';
import { badRequest, forbidden, notFound, unauthorized, unprocessable } from '@switchyard/errors';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { selfServiceScopes } from '@switchyard/rights';
import { displayText, displayTextProblems } from '@switchyard/texts';
import { isInternalUser, lengthProblems } from '../../rules';
import type { NewToken, Rotation, TokenFilter, TokenRecord } from '../domain/personal-access-token-row';
import { mayHaveScopes } from '../domain/scopes';
import { dateAfter, expiryProblem, rotationDays } from '../domain/token-lifetime';
import { generateToken, type TokenDigest } from './token';

/** A token with its secret, which is shown once. */
export interface ShownToken {
  record: TokenRecord;
  token: string;
}

/** A new token, as it is requested. */
export interface TokenRequest {
  name: string;
  description: string;
  scopes: readonly string[];
  /** `YYYY-MM-DD`; empty for the longest lifetime. */
  expiresAt: string;
}

/** Tokens in the database. */
export interface TokenStore {
  /** A token; undefined when there is none. */
  find(tokenId: number): Promise<TokenRecord | undefined>;
  list(filter: TokenFilter, request: PageRequest): Promise<{ rows: TokenRecord[]; page: PageInfo }>;
  /** The user a token can be made for; undefined when there is none. */
  owner(userId: number): Promise<{ admin: boolean; userType: string } | undefined>;
  /** Stores a token; returns its id, or undefined when the user was deleted in the meantime. */
  create(token: NewToken): Promise<number | undefined>;
  /**
   * Revokes a token; a revoked one stays so. @throws AppError precondition_failed when it changed after
   * `unmodifiedSince`
   */
  revoke(tokenId: number, unmodifiedSince?: Date): Promise<void>;
  /**
   * Puts a new token in the place of one, which is revoked, in one transaction. One that was rotated before is
   * `reused`: every token of its chain is revoked then (G-4.5-12).
   */
  rotate(tokenId: number, replacement: { digest: Buffer; expiresAt: string }): Promise<Rotation>;
}

/** Personal access tokens (G-5-8 … G-5-11). A token id of 0 is the token that was presented. */
export type PersonalAccessTokens = {
  /** For another user, 0 for the actor. @throws AppError not_found, unprocessable with the text */
  create(userId: number, request: TokenRequest, actor: Actor): Promise<ShownToken>;
  /** @throws AppError unauthorized when a user who is no administrator requests another user's */
  list(filter: TokenFilter, request: PageRequest, actor: Actor): Promise<{ rows: TokenRecord[]; page: PageInfo }>;
  /** @throws AppError unauthorized for another user's; not_found for administrators */
  get(tokenId: number, actor: Actor): Promise<TokenRecord>;
  /** @throws AppError not_found; bad_request for another user's */
  revoke(tokenId: number, actor: Actor, unmodifiedSince?: Date): Promise<void>;
  /** @throws AppError unauthorized, not_found as in `get`; bad_request for a revoked token or a late date */
  rotate(tokenId: number, expiresAt: string, actor: Actor): Promise<ShownToken>;
};

/** Builds the use cases of tokens. */
export function personalAccessTokens(
  store: TokenStore,
  digest: TokenDigest,
  lifetimeDays: number,
): PersonalAccessTokens {
  const mayManage = (token: TokenRecord | undefined, actor: Actor): token is TokenRecord =>
    token !== undefined && (actor.admin || token.user_id === actor.userId);

  // Only administrators learn that a token does not exist; others get the same answer as for another user's token.
  const get = async (tokenId: number, actor: Actor): Promise<TokenRecord> => {
    const token = await store.find(tokenId === 0 ? actor.tokenId : tokenId);
    if (mayManage(token, actor)) return token;
    throw actor.admin ? notFound('Personal Access Token') : unauthorized();
  };

  const shown = async (tokenId: number, token: string): Promise<ShownToken> => {
    const record = await store.find(tokenId);
    if (record === undefined) throw notFound();
    return { record, token };
  };

  return {
    async create(userId, { name, description, scopes, expiresAt }, actor) {
      const forSelf = userId === 0;
      if (forSelf && !scopes.every((scope) => selfServiceScopes.includes(scope))) throw forbidden();
      const owner = await store.owner(forSelf ? actor.userId : userId);
      if (owner === undefined) throw notFound('User');
      if (isInternalUser(owner.userType)) throw unprocessable('Not permitted to create');
      const now = new Date();
      const date = expiresAt || dateAfter(now, lifetimeDays);
      const tooLong = lengthProblems(name, 255).concat(lengthProblems(description, 255));
      const problems = [
        ...displayTextProblems(name, Number.POSITIVE_INFINITY).map((text) => `Name ${text}`),
        ...(tooLong.length > 0 ? [`Name or description ${tooLong[0]}`] : []),
        ...(mayHaveScopes(scopes, owner.admin) && scopes.length > 0
          ? []
          : ['Scopes can only contain available scopes']),
        ...[expiryProblem(date, now, lifetimeDays)].filter((problem) => problem !== undefined),
      ];
      if (problems.length > 0) throw unprocessable(problems.join(' and '));
      const token = generateToken();
      const id = await store.create({
        userId: forSelf ? actor.userId : userId,
        name: displayText(name),
        description: description || undefined,
        scopes: [...new Set(scopes)],
        expiresAt: date,
        digest: digest(token),
      });
      if (id === undefined) throw notFound('User');
      return shown(id, token);
    },

    async list(filter, request, actor) {
      if (!actor.admin && filter.userId !== undefined && filter.userId !== actor.userId) throw unauthorized();
      return store.list({ ...filter, userId: actor.admin ? filter.userId : actor.userId }, request);
    },

    get,

    async revoke(tokenId, actor, unmodifiedSince) {
      const token = await store.find(tokenId === 0 ? actor.tokenId : tokenId);
      if (token === undefined) throw notFound();
      if (!mayManage(token, actor)) throw badRequest();
      await store.revoke(token.id, unmodifiedSince);
    },

    async rotate(tokenId, expiresAt, actor) {
      const old = await get(tokenId, actor);
      const now = new Date();
      const date = expiresAt || dateAfter(now, rotationDays);
      const problem = expiryProblem(date, now, lifetimeDays);
      if (problem !== undefined) throw badRequest(problem);
      const token = generateToken();
      const rotation = await store.rotate(old.id, { digest: digest(token), expiresAt: date });
      if (rotation === 'missing') throw notFound('Personal Access Token');
      if (rotation === 'revoked' || rotation === 'reused') throw badRequest('Token already revoked');
      return shown(rotation.replacement, token);
    },
  };
}
