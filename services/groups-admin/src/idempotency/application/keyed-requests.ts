import { tooManyRequests, unavailable } from '@switchyard/errors';
import type { KeptAnswer, KeyedRequest, KeyLimits, KnownRequest, TakenKey } from '../domain/keyed-request';

/** Keys as rows. */
export interface IdempotencyStore {
  /** Takes a key that is free, or has expired; `too_many` for a caller who has reached a limit. One statement. */
  begin(request: KeyedRequest, limits: KeyLimits): Promise<TakenKey | 'taken' | 'too_many'>;
  /** Frees a key that was taken, unless its attempt has been renewed or has ended. */
  withdraw(taken: TakenKey): Promise<void>;
  /** The request that has a key; undefined when there is none. */
  find(request: Pick<KeyedRequest, 'caller' | 'key'>): Promise<KnownRequest | undefined>;
  /** Records how an attempt that runs has ended; `not_begun` frees its key. */
  finish(attempt: string, end: KeptAnswer | 'not_begun' | 'unknown'): Promise<void>;
  /** Has an attempt count as running for further milliseconds; false for one that does not run. */
  renew(attempt: string, runningMs: number): Promise<boolean>;
  /** Deletes up to `limit` keys that have expired; returns how many. */
  prune(limit: number): Promise<number>;
}

/** What becomes of a request with a key. */
export type Begun =
  | { readonly outcome: 'answered'; readonly answer: KeptAnswer }
  | { readonly outcome: 'none' | 'first' | 'running' | 'other_request' | 'unknown' };

const limits: KeyLimits = {
  // A write has 60 s (ADR 17), may wait 50 s for its place, and its gateway then says how it ended. An upload, which may
  // take hours, is renewed by its gateway.
  runningMs: 120_000,
  keptMs: 24 * 3_600_000,
  // A tenth of a second apart they would be enough for a quarter of an hour.
  most: 10_000,
  // 6 kB for each of the keys.
  mostBytes: 64 << 20,
};

/** Rows that one statement deletes. */
const batch = 500;

/**
 * Carries requests with a key out once (ADR 50).
 * @param seal makes of a fingerprint what is stored; the same for as long as an answer is kept
 */
export const keyedRequests = (store: IdempotencyStore, seal: (fingerprint: Buffer) => Buffer) => ({
  /**
   * Fails with `rate_limited` for a caller who has too many keys, or too much kept with them, and with `unavailable` when the
   * gateway has gone.
   * @param onlyKnown takes no key: the outcome is `none` where it is free
   * @param gone aborted when the gateway no longer waits
   */
  async begin(given: KeyedRequest, onlyKnown: boolean, gone: AbortSignal): Promise<Begun> {
    const request = { ...given, fingerprint: seal(given.fingerprint) };
    // Between the two statements the key may be freed: the caller then comes again.
    const begun = onlyKnown ? 'none' : await store.begin(request, limits);
    if (typeof begun === 'object') {
      if (!gone.aborted) return { outcome: 'first' };
      // A process that hung takes the key later than the gateway has freed it, and nobody would free it again.
      await store.withdraw(begun);
      throw unavailable();
    }
    const known = await store.find(request);
    if (known === undefined) {
      if (begun === 'too_many') throw tooManyRequests(3_600);
      return { outcome: onlyKnown ? 'none' : 'running' };
    }
    // The gateway asks once more, for it had no answer. The call before may be withdrawing the key.
    if (known.attempt === request.attempt && known.state === 'running')
      return { outcome: (await store.renew(request.attempt, limits.runningMs)) ? 'first' : 'running' };
    if (!known.fingerprint.equals(request.fingerprint)) return { outcome: 'other_request' };
    if (known.answer !== undefined) return { outcome: 'answered', answer: known.answer };
    return { outcome: known.state === 'running' ? 'running' : 'unknown' };
  },

  finish: store.finish,

  /** A request that takes longer still runs. */
  renew: (attempt: string): Promise<boolean> => store.renew(attempt, limits.runningMs),

  /** Deletes what has expired until nothing is left or `signal` is aborted. */
  async prune(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await store.prune(batch)) > 0);
  },
});

/** What `keyedRequests` gives. */
export type KeyedRequests = ReturnType<typeof keyedRequests>;
