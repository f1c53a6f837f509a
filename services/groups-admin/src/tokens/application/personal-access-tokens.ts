import type { PageInfo, PageRequest } from '@switchyard/database';
import { badRequest, forbidden, notAllowed, notFound, unauthorized, unprocessable } from '@switchyard/errors';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { selfServiceScopes } from '@switchyard/rights';
import { displayText } from '@switchyard/texts';
import { isInternalUser } from '../../rules';
import { type TokenRequest, tokenProblems } from '../domain/new-token';
import type { TokenFilter, TokenRecord } from '../domain/personal-access-token-row';
import { scopesOf } from '../domain/scopes';
import { dateAfter } from '../domain/token-lifetime';
import { replaceToken } from './replace-token';
import { generateToken, type TokenDigest } from './token';
import type { TokenStore } from './token.ports';

/** A token with its secret, which is shown once. */
export interface ShownToken {
  record: TokenRecord;
  token: string;
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
  /**
   * @throws AppError unauthorized, not_found as in `get`; bad_request for a revoked token or a late date; not_allowed
   *   where the presented token is no personal one
   */
  rotate(tokenId: number, expiresAt: string, actor: Actor, options?: { revokesFamily: boolean }): Promise<ShownToken>;
  /** Makes a token by which administrators act as a user. @throws AppError as `create`; forbidden */
  createImpersonation(userId: number, request: TokenRequest, actor: Actor): Promise<ShownToken>;
  /** @throws AppError forbidden; not_found for an unknown user */
  listImpersonation(
    userId: number,
    state: TokenFilter['state'],
    request: PageRequest,
    actor: Actor,
  ): Promise<{ rows: TokenRecord[]; page: PageInfo }>;
  /** @throws AppError forbidden, not_found */
  getImpersonation(userId: number, tokenId: number, actor: Actor): Promise<TokenRecord>;
  /** @throws AppError forbidden, not_found, precondition_failed */
  revokeImpersonation(userId: number, tokenId: number, actor: Actor, unmodifiedSince?: Date): Promise<void>;
};

/** Builds the use cases of tokens. */
export function personalAccessTokens(
  store: TokenStore,
  digest: TokenDigest,
  lifetime: () => Promise<number>,
): PersonalAccessTokens {
  const replace = replaceToken({ tokens: store, digest, lifetime });

  // Those that administrators use are managed by them alone, at a place of their own.
  const find = async (tokenId: number, actor: Actor): Promise<TokenRecord | undefined> => {
    const token = await store.find(tokenId === 0 ? actor.tokenId : tokenId);
    return tokenId !== 0 && token?.kind === 'impersonation' ? undefined : token;
  };

  const mayManage = (token: TokenRecord | undefined, actor: Actor): token is TokenRecord =>
    token !== undefined && (actor.admin || token.user_id === actor.userId);

  // Only administrators learn that a token does not exist; others get the same answer as for another user's token.
  const get = async (tokenId: number, actor: Actor): Promise<TokenRecord> => {
    const token = await find(tokenId, actor);
    if (mayManage(token, actor)) return token;
    throw actor.admin ? notFound('Personal Access Token') : unauthorized();
  };

  const shown = async (tokenId: number, token: string): Promise<ShownToken> => {
    const record = await store.find(tokenId);
    if (record === undefined) throw notFound();
    return { record, token };
  };

  async function create(
    userId: number,
    request: TokenRequest,
    kind: 'personal' | 'impersonation',
  ): Promise<ShownToken> {
    const owner = await store.owner(userId);
    if (owner === undefined) throw notFound('User');
    // The tokens of a bot are those of its project or group.
    if (isInternalUser(owner.userType) || owner.userType === 'bot') throw unprocessable('Not permitted to create');
    const now = new Date();
    const lifetimeDays = await lifetime();
    const expiresAt = request.expiresAt || dateAfter(now, lifetimeDays);
    const rule = { now, lifetimeDays, mustBeAhead: false };
    const problems = tokenProblems(request, { available: scopesOf(owner), expiresAt, ...rule });
    if (problems.length > 0) throw unprocessable(problems.join(' and '));
    const token = generateToken();
    const id = await store.create({
      userId,
      name: displayText(request.name),
      description: request.description || undefined,
      scopes: [...new Set(request.scopes)],
      expiresAt,
      digest: digest(token),
      kind,
    });
    if (id === undefined) throw notFound('User');
    return shown(id, token);
  }

  /** An impersonation token of a user. @throws AppError forbidden, not_found */
  async function impersonationToken(userId: number, tokenId: number, actor: Actor): Promise<TokenRecord> {
    if (!actor.admin) throw forbidden();
    const token = await store.find(tokenId);
    if (token?.kind !== 'impersonation' || token.user_id !== userId) throw notFound('Impersonation Token');
    return token;
  }

  return {
    async create(userId, request, actor) {
      const forSelf = userId === 0;
      if (forSelf && !request.scopes.every((scope) => selfServiceScopes.includes(scope))) throw forbidden();
      return create(forSelf ? actor.userId : userId, request, 'personal');
    },

    async list(filter, request, actor) {
      if (!actor.admin && filter.userId !== undefined && filter.userId !== actor.userId) throw unauthorized();
      return store.list(
        { ...filter, userId: actor.admin ? filter.userId : actor.userId, impersonation: false },
        request,
      );
    },

    get,

    async revoke(tokenId, actor, unmodifiedSince) {
      const token = await find(tokenId, actor);
      if (token === undefined) throw notFound();
      if (!mayManage(token, actor)) throw badRequest();
      await store.revoke(token.id, actor.userId, unmodifiedSince);
    },

    async rotate(tokenId, expiresAt, actor, { revokesFamily } = { revokesFamily: true }) {
      const old = await get(tokenId, actor);
      if (tokenId === 0 && (old.kind === 'resource' || old.kind === 'impersonation')) throw notAllowed();
      const { id, token } = await replace({
        tokenId: old.id,
        actorId: actor.userId,
        expiresAt,
        mustBeAhead: false,
        revokesFamily,
        noun: 'Personal Access Token',
      });
      return shown(id, token);
    },

    async createImpersonation(userId, request, actor) {
      if (!actor.admin) throw forbidden();
      return create(userId, request, 'impersonation');
    },

    async listImpersonation(userId, state, request, actor) {
      if (!actor.admin) throw forbidden();
      if ((await store.owner(userId)) === undefined) throw notFound('User');
      return store.list({ userId, state, impersonation: true }, request);
    },

    getImpersonation: impersonationToken,

    async revokeImpersonation(userId, tokenId, actor, unmodifiedSince) {
      const token = await impersonationToken(userId, tokenId, actor);
      await store.revoke(token.id, actor.userId, unmodifiedSince);
    },
  };
}
