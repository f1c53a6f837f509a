import { badRequest, notFound } from '@switchyard/errors';
import { dateAfter, expiryProblem, rotationDays } from '../domain/token-lifetime';
import { generateToken, type TokenDigest } from './token';
import type { TokenStore } from './token.ports';

/** What the rotation of tokens works with. */
export interface ReplacementEdges {
  readonly tokens: Pick<TokenStore, 'rotate'>;
  readonly digest: TokenDigest;
  /** Longest lifetime of a token, days. */
  lifetime(): Promise<number>;
}

/** A token that is to be replaced. */
export interface ReplacementRequest {
  readonly tokenId: number;
  readonly actorId: number;
  /** `YYYY-MM-DD`; empty for the default (G-4.5-11). */
  readonly expiresAt: string;
  /** Whether the date has to be later than today. */
  readonly mustBeAhead: boolean;
  readonly revokesFamily: boolean;
  /** What the token is called where there is none any more. */
  readonly noun: string;
}

/**
 * Puts a new token in the place of one.
 * @returns its id and its secret
 * @throws AppError bad_request for a revoked token and a date out of range; not_found
 */
export const replaceToken =
  ({ tokens, digest, lifetime }: ReplacementEdges) =>
  async (request: ReplacementRequest): Promise<{ readonly id: number; readonly token: string }> => {
    const { mustBeAhead, revokesFamily } = request;
    const now = new Date();
    const expiresAt = request.expiresAt || dateAfter(now, rotationDays);
    const problem = expiryProblem(expiresAt, { now, lifetimeDays: await lifetime(), mustBeAhead });
    if (problem !== undefined) throw badRequest(problem);
    const token = generateToken();
    const replacement = { digest: digest(token), expiresAt, revokesFamily };
    const rotation = await tokens.rotate(request.tokenId, request.actorId, replacement);
    if (rotation === 'missing') throw notFound(request.noun);
    if (rotation === 'revoked' || rotation === 'reused') throw badRequest('Token already revoked');
    return { id: rotation.replacement, token };
  };
