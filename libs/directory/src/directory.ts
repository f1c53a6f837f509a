import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, uncounted } from '@switchyard/database';
import { isAppError, unavailable } from '@switchyard/errors';
import type { CallOptions } from '@switchyard/rpc';
import type { Logger } from '@switchyard/telemetry';
import { type DirectoryClient, needsRebuild, pullChanges, rebuildReplica } from './replica';
import { type ReplicaState, readState, wantsRefill } from './state';

export interface DirectoryOptions {
  /** Database of the service, with `directoryMigrations` applied. */
  db: Database;
  /** The directory's owner. */
  client: DirectoryClient;
  /** Milliseconds one long poll waits for a change, 0 to 30,000; default 20,000. */
  pollMs?: number;
  log: Logger;
}

/** The local replica of the directory (D5), kept up to date in the background. */
export interface Directory {
  /**
   * Waits until the replica has reached `sequence`, pulling by itself, so that what was committed before is seen on every path.
   * @throws AppError unavailable when that takes longer than 500 ms
   */
  ensure(sequence: number): Promise<void>;
  /** Last change this process knows to be applied; what calls to other services carry as their directory sequence. */
  sequence(): number;
  /** True once the replica was filled for the first time. */
  ready(): boolean;
  /** Reads everything anew from a snapshot; readers are not disturbed. */
  rebuild(): Promise<void>;
  /** Stops following. */
  close(): Promise<void>;
}

/** Milliseconds `ensure` waits (D5). */
const ensureWithin = 500;

const defaultPoll = 20_000;

/** Longest pause after failures, milliseconds. */
const longestPause = 2_000;

/** Opens the replica and starts to follow the owner's changes. Several processes of a service may share one database. */
export async function startDirectory({ db, client, pollMs = defaultPoll, log }: DirectoryOptions): Promise<Directory> {
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
    try {
      return await work({ requestId: `directory-${randomUUID()}`, timeoutMs, signal: abort.signal });
    } finally {
      calls.delete(abort);
    }
  }

  let rebuilding: Promise<void> | undefined;
  const rebuild = (): Promise<void> => {
    rebuilding ??= calling(10_000, async (call) => {
      const started = performance.now();
      const from = await readState(db);
      const after = await rebuildReplica(db, client, from, () => call);
      learn(after);
      const milliseconds = Math.round(performance.now() - started);
      log.info({ sequence: after.sequence, generation: after.generation, milliseconds }, 'directory rebuilt');
    }).finally(() => {
      rebuilding = undefined;
    });
    return rebuilding;
  };

  const pull = (waitMs: number, timeoutMs: number): Promise<void> =>
    calling(timeoutMs, async (call) => learn(await pullChanges(db, client, state, waitMs, call)));

  let pulling: Promise<void> | undefined;
  let nextPull: Promise<void> | undefined;
  const startPull = (timeoutMs: number): Promise<void> => {
    const started = pull(0, timeoutMs).finally(() => {
      if (pulling === started) pulling = undefined;
    });
    pulling = started;
    return started;
  };
  /** A pull that starts at or after this call, shared by all who ask meanwhile: one under way may have read too early. */
  const pullOnce = (timeoutMs: number): Promise<void> => {
    if (pulling === undefined) return startPull(timeoutMs);
    nextPull ??= pulling
      .catch(() => undefined)
      .then(() => {
        nextPull = undefined;
        return startPull(timeoutMs);
      });
    return nextPull;
  };

  async function follow(): Promise<void> {
    let failures = 0;
    let filled = false;
    while (!closed) {
      try {
        if (state.generation === 0) learn(await readState(db));
        if (state.generation === 0 || (!filled && (await wantsRefill(db)))) await rebuild();
        filled = true;
        await pull(pollMs, pollMs + 5_000);
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
        const wait = Math.min(longestPause, 50 * 2 ** Math.min(failures, 6)) * (0.5 + Math.random() / 2);
        await pause(wait, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  }

  async function reach(sequence: number): Promise<void> {
    const deadline = Date.now() + ensureWithin;
    learn(await readState(db));
    let cause: unknown;
    while (state.generation === 0 || state.sequence < sequence) {
      const left = deadline - Date.now();
      if (left <= 0 || closed)
        throw unavailable(cause ?? `the directory stands at ${state.sequence}, not at ${sequence}`);
      try {
        // A replica that was never filled has nothing to continue: its first filling is under way.
        if (state.generation > 0) await Promise.race([pullOnce(ensureWithin), pause(left, undefined, { ref: false })]);
        if (state.generation > 0 && state.sequence >= sequence) return;
      } catch (error) {
        cause = error;
        if (!isAppError(error)) throw error;
      }
      await pause(Math.min(10, Math.max(1, deadline - Date.now())));
      learn(await readState(db));
    }
  }

  const follower = uncounted(follow);

  return {
    async ensure(sequence) {
      if (state.generation > 0 && state.sequence >= sequence) return;
      await uncounted(() => reach(sequence));
    },
    sequence: () => state.sequence,
    ready: () => state.generation > 0,
    rebuild: () => uncounted(rebuild),
    async close() {
      closed = true;
      stop.abort();
      for (const call of calls) call.abort();
      await follower.catch(() => undefined);
    },
  };
}
