import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, uncounted } from '@switchyard/database';
import { isAppError, unavailable } from '@switchyard/errors';
import type { CallOptions } from '@switchyard/rpc';
import type { Logger } from '@switchyard/telemetry';
import { directoryFormat } from './directory-format';
import { type DirectoryClient, needsRebuild, pullChanges, rebuildReplica } from './replica';
import { type ReplicaState, readState, wantsRefill } from './state';

export interface DirectoryOptions {
  /** Database of the service, with `directoryMigrations` applied. */
  db: Database;
  /** The directory's owner. */
  client: DirectoryClient;
  /** Milliseconds one long poll waits for a change, 0 to 30,000; default 20,000. */
  pollMs?: number;
  /** Milliseconds between two fillings because of rows of an older release; default 60,000. */
  refillPauseMs?: number;
  log: Logger;
}

/** The local replica of the directory (D5), kept up to date in the background. */
export interface Directory {
  /**
   * Waits until the replica has reached `sequence`, pulling by itself, so that what was committed before is seen on
   * every path.
   * @throws AppError unavailable after 500 ms without progress; it first waits for an attempt under way, at most 3 s
   */
  ensure(sequence: number): Promise<void>;
  /** Last change this process knows to be applied; what calls to other services carry as their directory sequence. */
  sequence(): number;
  /** True once the replica was filled for the first time. */
  ready(): boolean;
  /** Reads everything again from a snapshot; readers are not disturbed. */
  rebuild(): Promise<void>;
  /** Stops following. */
  close(): Promise<void>;
}

/**
 * The `before` of a subscription: waits, before the transaction of an event, until this replica has reached the sequence that the event
 * carries. All users and objects that the event names are known then (D5).
 * @throws AppError unavailable when groups-admin cannot be reached; the event is delivered again
 */
export const afterDirectory =
  (directory: Pick<Directory, 'ensure'>) =>
  ({ directorySequence }: { directorySequence: number }): Promise<void> =>
    directory.ensure(directorySequence);

/** Milliseconds without progress after which `ensure` gives up (D5). */
const ensureWithin = 500;

/**
 * Milliseconds for one pull of `ensure`. An owner that is away refuses at once. A busy one answers late: if it were
 * requested again every 500 ms, it would never finish.
 */
const pullWithin = 3_000;

const defaultPoll = 20_000;

/** Longest pause after failures, milliseconds. */
const maxPauseMs = 2_000;

/** While processes of an older release are replaced, each change that they write or apply asks for another filling. */
const defaultRefillPause = 60_000;

/** A caller that waits until the replica reaches a sequence. */
interface Waiting {
  readonly sequence: number;
  /** When the wait began, milliseconds since 1970. */
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens the replica and starts to follow the owner's changes. Several processes of a service may share one database.
 */
export async function startDirectory({
  db,
  client,
  pollMs = defaultPoll,
  refillPauseMs = defaultRefillPause,
  log,
}: DirectoryOptions): Promise<Directory> {
  let state: ReplicaState = await readState(db);
  let closed = false;
  const calls = new Set<AbortController>();
  const stop = new AbortController();

  // Replies may overtake each other: what is known never goes back, unless the replica was rebuilt.
  const learn = (found: ReplicaState): void => {
    const newer = found.generation > state.generation;
    if (newer || (found.generation === state.generation && found.sequence > state.sequence)) state = found;
  };

  async function calling<T>(timeoutMs: number, work: (call: CallOptions) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    calls.add(abort);
    // What closed it did not see this call.
    if (closed) abort.abort();
    try {
      return await work({ requestId: `directory-${randomUUID()}`, timeoutMs, signal: abort.signal });
    } finally {
      calls.delete(abort);
    }
  }

  let rebuilding: Promise<void> | undefined;
  const rebuild = (least = 0): Promise<void> => {
    rebuilding ??= calling(10_000, async (call) => {
      const started = performance.now();
      const from = await readState(db);
      // Another process has been faster.
      if (least > 0 && from.format >= least) return learn(from);
      const after = await rebuildReplica(db, client, from, least, () => call);
      learn(after);
      const milliseconds = Math.round(performance.now() - started);
      log.info({ sequence: after.sequence, generation: after.generation, milliseconds }, 'directory rebuilt');
    }).finally(() => {
      rebuilding = undefined;
    });
    return rebuilding;
  };

  /** @returns the format that the owner writes */
  const pull = (waitMs: number, timeoutMs: number): Promise<number> =>
    calling(timeoutMs, async (call) => {
      const pulled = await pullChanges(db, client, state, waitMs, call);
      learn(pulled.state);
      return pulled.offered;
    });

  let refillAt = 0;
  /** Reads everything again where an older owner has written some of it, or an older process has stored it. */
  async function refill(offered: number): Promise<void> {
    const least = Math.min(offered, directoryFormat);
    if (least <= state.format || performance.now() < refillAt) return;
    refillAt = performance.now() + refillPauseMs;
    await rebuild(least).catch((error) => log.warn({ err: error }, 'directory could not be filled again'));
  }

  async function follow(): Promise<void> {
    let failures = 0;
    let filled = false;
    while (!closed) {
      try {
        if (state.generation === 0) learn(await readState(db));
        if (state.generation === 0 || (!filled && (await wantsRefill(db)))) await rebuild();
        filled = true;
        await refill(await pull(pollMs, pollMs + 5_000));
        failures = 0;
      } catch (error) {
        if (closed) return;
        const known = await readState(db).catch(() => state);
        if (needsRebuild(error) && known.generation === state.generation && known.sequence === state.sequence) {
          await rebuild().catch((failure) => log.warn({ err: failure }, 'directory could not be rebuilt'));
        } else {
          learn(known);
          log.warn({ err: error }, 'directory could not be followed');
        }
        failures += 1;
        const wait = Math.min(maxPauseMs, 50 * 2 ** Math.min(failures, 6)) * (0.5 + Math.random() / 2);
        await pause(wait, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  }

  const waiting = new Set<Waiting>();
  let advancing = false;
  const hasReached = (sequence: number): boolean => state.generation > 0 && state.sequence >= sequence;

  function answerThoseReached(): void {
    for (const one of waiting) {
      if (!hasReached(one.sequence)) continue;
      waiting.delete(one);
      one.resolve();
    }
  }

  /** One attempt for all that wait: reads what another process has applied, then pulls if that is not enough. */
  async function getOn(): Promise<unknown> {
    try {
      learn(await readState(db));
      answerThoseReached();
      // A replica that was never filled has nothing to continue: its first filling is under way.
      if (waiting.size > 0 && state.generation > 0) await pull(0, pullWithin);
      return undefined;
    } catch (error) {
      if (isAppError(error)) return error;
      for (const one of waiting) one.reject(error);
      waiting.clear();
      return undefined;
    }
  }

  /**
   * Brings the replica forward while callers wait. Only time without progress counts: under load an attempt takes long,
   * and newer changes are requested before it ends. All callers that came during an attempt share the next one.
   */
  async function advance(): Promise<void> {
    advancing = true;
    for (let progressAt = 0; waiting.size > 0; ) {
      const before = state;
      const cause = await getOn();
      const now = Date.now();
      if (state !== before) progressAt = now;
      answerThoseReached();
      for (const one of waiting) {
        if (!closed && now - Math.max(one.since, progressAt) < ensureWithin) continue;
        waiting.delete(one);
        one.reject(unavailable(cause ?? `the directory stands at ${state.sequence}, not at ${one.sequence}`));
      }
      if (waiting.size > 0) await pause(10);
    }
    advancing = false;
  }

  const reach = (sequence: number): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.add({ sequence, since: Date.now(), resolve, reject });
      if (!advancing) void advance();
    });

  const follower = uncounted(follow);

  return {
    async ensure(sequence) {
      if (!hasReached(sequence)) await uncounted(() => reach(sequence));
    },
    sequence: () => state.sequence,
    ready: () => state.generation > 0,
    rebuild: () => uncounted(() => rebuild()),
    async close() {
      closed = true;
      stop.abort();
      for (const call of calls) call.abort();
      await follower.catch(() => undefined);
    },
  };
}
