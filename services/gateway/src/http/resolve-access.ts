import { createHash, randomUUID } from 'node:crypto';
import { AppError, forbidden, isAppError, notFound, unauthorized, unavailable } from '@switchyard/errors';
import {
  type AccessServiceService,
  type ResolveRequest,
  ResolveRequest_TokenKind,
  type ResolveResponse,
  ResolveResponse_SudoRefusal as Sudo,
  ResolveResponse_TokenRefusal as Token,
} from '@switchyard/protos/groups_admin/v1/access';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, type RpcClient } from '@switchyard/rpc';
import { LRUCache } from 'lru-cache';
import type { TokenKind } from './authenticate';

/** What a request names and presents. */
export interface Question {
  readonly token: string | undefined;
  /** What the token is presented as; default: that of a user. */
  readonly kind?: TokenKind;
  /** Username that a deploy token has to agree with; empty where none was presented. */
  readonly username?: string;
  readonly sudo: string | undefined;
  readonly target: { kind: 'project' | 'group'; name: string } | undefined;
  /** Address of the caller, noted with the token. */
  readonly address?: string;
  /** Owners find what is marked for deletion (`Route.includesMarked`). */
  readonly marked?: boolean | undefined;
  /** Packages are read, which may be open to who does not see their project. */
  readonly packages?: boolean | undefined;
  /** Owners of a top-level group may come from every address (`Route.anyAddress`). */
  readonly anyAddress?: boolean | undefined;
  /** Account that the token is said to be of, where the client names one; failed logins are counted for it. */
  readonly account?: string;
}

/** Resolves token, sudo and target by groups-admin, with a short cache of positive answers. */
export interface AccessResolver {
  /** The answer; `fresh` when it did not come from the cache. `signal` ends the wait of a client that has gone. */
  resolve(
    question: Question,
    requestId: string,
    options?: { fresh?: boolean; signal?: AbortSignal },
  ): Promise<{ answer: ResolveResponse; fresh: boolean }>;
  /**
   * The answer as it is now, for one who was admitted before. Questions that come together are asked in one call; it
   * counts as no login, and is not kept.
   */
  again(question: Question): Promise<ResolveResponse>;
  /** Drops every cached answer: called after each write for which this replica has called groups-admin. */
  forget(): void;
}

/** How long a positive answer may be reused, milliseconds (D3: at most one second). */
const lifetimeMs = 1_000;
/** Answers kept; those go first that have not been used for longest. */
const maxAnswers = 10_000;

/** A question on its way, which others may wait for. */
interface Asked {
  readonly answer: Promise<ResolveResponse>;
  readonly abort: AbortController;
  /** Writes of this replica before it was asked. */
  readonly generation: number;
  /** When it was asked, on the monotonic clock. */
  readonly at: number;
  /** Requests that wait for the answer. */
  waiting: number;
}

/** Milliseconds for which questions that are asked again are gathered, and most of them in one call. */
const gatherMs = 100;
const maxQuestions = 500;

/** Asks questions that come together in one call. */
function gathered(client: RpcClient<typeof AccessServiceService>): AccessResolver['again'] {
  type Waiting = { question: Question; answer: (answer: ResolveResponse) => void; fail: (error: unknown) => void };
  let waiting: Waiting[] = [];

  async function ask(asked: readonly Waiting[]): Promise<void> {
    try {
      const questions = asked.map(({ question }) => toRequest(question));
      const options = { requestId: randomUUID(), idempotent: true, timeoutMs: 4_000 };
      const { answers } = await client.resolveAll({ questions }, options);
      for (const [at, { answer }] of asked.entries()) answer(answers[at] as ResolveResponse);
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }

  function send(): void {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += maxQuestions) void ask(all.slice(at, at + maxQuestions));
  }

  return (question) =>
    new Promise((answer, fail) => {
      waiting.push({ question, answer, fail });
      if (waiting.length === 1) setTimeout(send, gatherMs);
    });
}

/** Builds the resolver over groups-admin's AccessService. */
export function accessResolver(client: RpcClient<typeof AccessServiceService>): AccessResolver {
  // Resolution 0: expiry of token and membership is compared with now on every use.
  const cache = new LRUCache<string, ResolveResponse>({ max: maxAnswers, ttl: lifetimeMs, ttlResolution: 0 });
  let generation = 0;
  const asking = new Map<string, Asked>();

  /** Asks, and keeps a positive answer. The question ends when all who wait for its answer have gone. */
  function ask(key: string, question: Question, requestId: string): Asked {
    const startedAt = generation;
    const abort = new AbortController();
    const answer = client
      .resolve(toRequest(question), { requestId, idempotent: true, timeoutMs: 5_000, signal: abort.signal })
      .then((found) => {
        // An answer asked for before a write of this replica may predate it: used for this request, not kept.
        if (isPositive(found, question) && startedAt === generation) {
          const left = found.validUntil === 0 ? lifetimeMs : found.validUntil * 1_000 - Date.now();
          // A lifetime of 0 would mean for ever.
          if (left > 0) cache.set(key, found, { ttl: Math.min(left, lifetimeMs) });
        }
        return found;
      })
      // Nothing is written by a question, whatever became of it (ADR 49).
      .catch((error: unknown) => {
        throw isAppError(error, 'unavailable') ? unavailable(error, error.retryAfter) : error;
      })
      .finally(() => {
        if (asking.get(key) === asked) asking.delete(key);
      });
    const asked: Asked = { answer, abort, generation: startedAt, at: performance.now(), waiting: 0 };
    return asked;
  }

  async function answerOf(asked: Asked, signal: AbortSignal | undefined): Promise<ResolveResponse> {
    asked.waiting += 1;
    const leave = (): void => {
      asked.waiting -= 1;
      if (asked.waiting === 0) asked.abort.abort(signal?.reason);
    };
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
    try {
      return await asked.answer;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  return {
    async resolve(question, requestId, { fresh = false, signal } = {}) {
      const key = keyOf(question);
      const cached = fresh ? undefined : cache.get(key);
      if (cached !== undefined) return { answer: cached, fresh: false };
      // The same question of many requests at once is asked once. Its answer may be as old as one from the cache.
      const shared = fresh ? undefined : asking.get(key);
      const isShared =
        shared !== undefined &&
        !shared.abort.signal.aborted &&
        shared.generation === generation &&
        performance.now() - shared.at < lifetimeMs;
      if (isShared) {
        const answer = await answerOf(shared, signal);
        // Refusals are not shared: guesses at tokens are counted by what is asked.
        if (isPositive(answer, question)) return { answer, fresh: false };
      }
      const asked = ask(key, question, requestId);
      if (!fresh) asking.set(key, asked);
      return { answer: await answerOf(asked, signal), fresh: true };
    },
    again: gathered(client),
    forget() {
      generation += 1;
      cache.clear();
    },
  };
}

/**
 * Names a question by a digest, so that tokens do not lie about in memory longer than a request. The address is no part
 * of it: `restrictAddresses` compares it with each answer.
 */
export const keyOf = ({ token, kind, username, sudo, target, marked, packages = false }: Question): string => {
  const parts = [token, sudo, target?.kind, target?.name, kind, kind === 'deploy' ? username : '', marked, packages];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
};

const kinds = {
  user: ResolveRequest_TokenKind.TOKEN_KIND_UNSPECIFIED,
  job: ResolveRequest_TokenKind.TOKEN_KIND_JOB,
  deploy: ResolveRequest_TokenKind.TOKEN_KIND_DEPLOY,
} as const satisfies Record<TokenKind, ResolveRequest_TokenKind>;

const toRequest = (question: Question): ResolveRequest => {
  const { token, kind = 'user', username, sudo, target, address, marked, packages } = question;
  return {
    marked,
    packages,
    token: token ?? '',
    sudo: sudo ?? '',
    address: address ?? '',
    tokenKind: kinds[kind],
    username: kind === 'deploy' ? (username ?? '') : '',
    target:
      target === undefined
        ? undefined
        : target.kind === 'project'
          ? { $case: 'project', value: target.name }
          : { $case: 'group', value: target.name },
  };
};

const isPositive = (answer: ResolveResponse, question: Question): boolean =>
  answer.tokenRefusal === Token.TOKEN_REFUSAL_UNSPECIFIED &&
  answer.sudoRefusal === Sudo.SUDO_REFUSAL_UNSPECIFIED &&
  (question.target === undefined || answer.access !== undefined);

/** Whom a request is counted for: who presents a token that is refused is anonymous. */
export const actorOf = ({ tokenRefusal, actor }: ResolveResponse): Actor =>
  tokenRefusal === Token.TOKEN_REFUSAL_UNSPECIFIED ? (actor ?? anonymous) : anonymous;

const invalidToken = (description: string): AppError =>
  new AppError('invalid_token', { error: 'invalid_token', error_description: description });

/** Refuses a bad token or sudo (G-5-2, G-5-3, G-5-6, G-5-7). */
export function refuseToken(answer: ResolveResponse, sudo: string | undefined): void {
  switch (answer.tokenRefusal) {
    case Token.TOKEN_REFUSAL_UNSPECIFIED:
      break;
    case Token.TOKEN_REFUSAL_UNKNOWN:
      throw unauthorized();
    case Token.TOKEN_REFUSAL_EXPIRED:
      throw invalidToken('Token is expired. You can either do re-authorization or token refresh.');
    case Token.TOKEN_REFUSAL_REVOKED:
      throw invalidToken('Token was revoked. You have to re-authorize from the user.');
    case Token.TOKEN_REFUSAL_BLOCKED:
      throw forbidden('Your account has been blocked.');
    case Token.TOKEN_REFUSAL_DEACTIVATED:
      throw forbidden('Your account has been deactivated.');
    case Token.TOKEN_REFUSAL_UNCONFIRMED:
      throw forbidden('Your primary email address is not confirmed.');
  }
  switch (answer.sudoRefusal) {
    case Sudo.SUDO_REFUSAL_UNSPECIFIED:
      break;
    case Sudo.SUDO_REFUSAL_NOT_ADMIN:
      throw forbidden('Must be admin to use sudo');
    case Sudo.SUDO_REFUSAL_SCOPE:
      throw insufficientScope(['sudo']);
    case Sudo.SUDO_REFUSAL_UNKNOWN_USER:
      throw notFound(`User with ID or username '${sudo ?? ''}'`);
  }
}

/** 403 naming the scopes that would do (G-5-4). */
export const insufficientScope = (scopes: readonly string[]): AppError =>
  new AppError('insufficient_scope', {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: scopes.join(' '),
  });
