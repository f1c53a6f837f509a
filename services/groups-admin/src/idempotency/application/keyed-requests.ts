import { tooManyRequests } from '@switchyard/errors';
import type { KeptAnswer, KeyedRequest, KnownRequest } from '../domain/keyed-request';

/** Keys as rows. */
export interface IdempotencyStore {
  /** Takes a key that is free, or has expired; `too_many` for a caller with `most` others. One statement. */
  begin(
    request: KeyedRequest,
    limits: { readonly runningMs: number; readonly keptMs: number; readonly most: number },
  ): Promise<'begun' | 'taken' | 'too_many'>;
  /** The request that has a key; undefined when there is none. */
  find(request: Pick<KeyedRequest, 'caller' | 'key'>): Promise<KnownRequest | undefined>;
  /** Records how an attempt that runs has ended; `not_begun` frees its key. */
  finish(attempt: string, end: KeptAnswer | 'not_begun' | 'unknown'): Promise<void>;
  /** Deletes up to `limit` keys that have expired; returns how many. */
  prune(limit: number): Promise<number>;
}

/** What becomes of a request with a key. */
export type Begun =
  | { readonly outcome: 'answered'; readonly answer: KeptAnswer }
  | { readonly outcome: 'none' | 'first' | 'running' | 'other_request' | 'unknown' };

/** How long an answer is kept, milliseconds. */
const keptMs = 24 * 3_600_000;

/**
 * Milliseconds after which a request that has not ended never will: a write has 60 s (ADR 17), may wait 50 s for its
 * place, and its gateway then says how it ended.
 */
const runningMs = 120_000;

/** Keys of one caller: a tenth of a second apart they would be enough for a quarter of an hour. */
const mostKeys = 10_000;

/** Rows that one statement deletes. */
const batch = 500;

/** Carries requests with a key out once (ADR 50). */
export const keyedRequests = (store: IdempotencyStore) => ({
  /**
   * Fails with `rate_limited` for a caller who has too many keys.
   * @param onlyKnown takes no key: the outcome is `none` where it is free
   */
  async begin(request: KeyedRequest, onlyKnown: boolean): Promise<Begun> {
    // Between the two statements the key may be freed: the caller then comes again.
    const begun = onlyKnown ? 'none' : await store.begin(request, { runningMs, keptMs, most: mostKeys });
    if (begun === 'begun') return { outcome: 'first' };
    const known = await store.find(request);
    if (known === undefined) {
      if (begun === 'too_many') throw tooManyRequests(3_600);
      return { outcome: onlyKnown ? 'none' : 'running' };
    }
    // The gateway asks once more, for it had no answer.
    if (known.attempt === request.attempt && known.state === 'running') return { outcome: 'first' };
    if (!known.fingerprint.equals(request.fingerprint)) return { outcome: 'other_request' };
    if (known.answer !== undefined) return { outcome: 'answered', answer: known.answer };
    return { outcome: known.state === 'running' ? 'running' : 'unknown' };
  },

  finish: store.finish,

  /** Deletes what has expired until nothing is left or `signal` is aborted. */
  async prune(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await store.prune(batch)) > 0);
  },
});

/** What `keyedRequests` gives. */
export type KeyedRequests = ReturnType<typeof keyedRequests>;
