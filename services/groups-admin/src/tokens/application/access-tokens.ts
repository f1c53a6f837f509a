import { randomBytes } from 'node:crypto';
import type { PageInfo, PageRequest } from '@switchyard/database';
import { badRequest, forbidden, notFound } from '@switchyard/errors';
import { resourceScopes } from '@switchyard/rights';
import { displayText } from '@switchyard/texts';
import type { Parent } from '../../parents';
import { noreplyAddress } from '../../rules';
import {
  type AccessTokenActor,
  type AccessTokenRecord,
  botUsername,
  refuseHigherLevel,
  requireOwnToken,
  requireToken,
} from '../domain/access-token';
import { type TokenRequest, tokenProblems } from '../domain/new-token';
import type { TokenFilter } from '../domain/personal-access-token-row';
import { dateAfter } from '../domain/token-lifetime';
import { type ReplacementEdges, replaceToken } from './replace-token';
import { generateToken } from './token';
import type { TokenStore } from './token.ports';

/** An access token with its secret, which is shown once. */
export interface ShownAccessToken {
  record: AccessTokenRecord;
  token: string;
}

/** A bot with a token to store. */
export interface AccessTokenToStore {
  source: Parent;
  username: string;
  email: string;
  name: string;
  level: number;
  createdById: number;
  description: string | undefined;
  scopes: readonly string[];
  /** `YYYY-MM-DD`. */
  expiresAt: string;
  digest: Buffer;
}

/** Access tokens in the database. */
export interface AccessTokenStore {
  list(
    source: Parent,
    filter: TokenFilter,
    request: PageRequest,
  ): Promise<{ rows: AccessTokenRecord[]; page: PageInfo }>;
  /** A token of this very project or group; undefined when there is none. */
  find(source: Parent, tokenId: number): Promise<AccessTokenRecord | undefined>;
  /** Makes a bot, its token and its membership; returns the token's id, or undefined when the source was purged. */
  create(token: AccessTokenToStore): Promise<number | undefined>;
}

/** What access tokens work with. */
export interface AccessTokenEdges extends ReplacementEdges {
  readonly store: AccessTokenStore;
  /** Tokens of every kind: owners, revocation, rotation. */
  readonly tokens: Pick<TokenStore, 'owner' | 'revoke' | 'rotate'>;
  /** What follows the `@noreply.` of the addresses of bots. */
  readonly mailHost: string;
}

/** Access tokens of projects and groups (G-5-10). The gateway decides who may manage them. */
export function accessTokens({ store, tokens, digest, lifetime, mailHost }: AccessTokenEdges) {
  const replace = replaceToken({ tokens, digest, lifetime });

  /** A bot makes and ends no tokens but its own: its level would outlive the decision of those who gave it. */
  async function refuseBot({ userId }: AccessTokenActor): Promise<void> {
    if ((await tokens.owner(userId))?.userType === 'bot') throw forbidden();
  }

  const get = async (source: Parent, tokenId: number): Promise<AccessTokenRecord> => {
    const token = await store.find(source, tokenId);
    if (token === undefined) throw notFound('Access Token');
    return token;
  };

  return {
    /** @throws AppError not_found */
    get,
    /** A page of tokens, those that are no longer good among them. */
    list: (source: Parent, filter: TokenFilter, request: PageRequest) => store.list(source, filter, request),

    /** @throws AppError forbidden for bots; bad_request with every problem; not_found */
    async create(
      source: Parent,
      request: TokenRequest & { level: number },
      actor: AccessTokenActor,
    ): Promise<ShownAccessToken> {
      await refuseBot(actor);
      refuseHigherLevel(actor, request.level);
      const now = new Date();
      const lifetimeDays = await lifetime();
      const expiresAt = request.expiresAt || dateAfter(now, lifetimeDays);
      const rule = { now, lifetimeDays, mustBeAhead: true };
      const problems = tokenProblems(request, { available: resourceScopes, expiresAt, ...rule });
      if (problems.length > 0) throw badRequest(problems.join(' and '));
      const username = botUsername(source, randomBytes(16).toString('hex'));
      const token = generateToken();
      const id = await store.create({
        source,
        username,
        email: noreplyAddress(username, mailHost),
        name: displayText(request.name),
        level: request.level,
        createdById: actor.userId,
        description: request.description || undefined,
        scopes: [...new Set(request.scopes)],
        expiresAt,
        digest: digest(token),
      });
      if (id === undefined) throw notFound(source.kind === 'group' ? 'Group' : 'Project');
      return { record: await get(source, id), token };
    },

    /** @throws AppError forbidden, not_found, precondition_failed */
    async revoke(source: Parent, tokenId: number, actor: AccessTokenActor, unmodifiedSince?: Date): Promise<void> {
      await refuseBot(actor);
      const token = requireToken(await store.find(source, tokenId), actor);
      await tokens.revoke(token.id, actor.userId, unmodifiedSince);
    },

    /**
     * @param tokenId 0 for the token that was presented
     * @throws AppError forbidden, not_found; not_allowed where the presented token is none of the source; bad_request for
     *   a revoked token, a past or late date
     */
    async rotate(
      source: Parent,
      tokenId: number,
      expiresAt: string,
      actor: AccessTokenActor,
    ): Promise<ShownAccessToken> {
      if (tokenId !== 0) await refuseBot(actor);
      const old =
        tokenId === 0
          ? requireOwnToken(await store.find(source, actor.tokenId))
          : requireToken(await store.find(source, tokenId), actor);
      const { id, token } = await replace({
        tokenId: old.id,
        actorId: actor.userId,
        expiresAt,
        mustBeAhead: true,
        // Administrators of the tokens of others do not hold the old one.
        revokesFamily: tokenId === 0,
        noun: 'Access Token',
      });
      return { record: await get(source, id), token };
    },
  };
}

/** Use cases of access tokens. */
export type AccessTokens = ReturnType<typeof accessTokens>;
