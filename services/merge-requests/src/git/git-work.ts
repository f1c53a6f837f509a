import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { AppError } from '@switchyard/errors';
import { Admission, type GitCaller, Slots } from './admission';
import { gitLimits } from './git-limits';

/** Work for a caller that waits for it. */
export interface CallerWork extends Omit<GitCaller, 'repository'> {
  /** A transfer goes at the client's pace and has places of its own. */
  readonly kind: 'call' | 'transfer';
  /** Aborted when no one waits any longer; read when the first git process starts. */
  readonly signal: AbortSignal;
}

interface Scope {
  /** Waits for the place of this work, which it keeps to its end. */
  enter(repository: string): Promise<void>;
  readonly slots: Slots;
  readonly signal: AbortSignal | undefined;
}

/** Git processes of one call at the same time. A process that is open while others are asked for takes one of them. */
const processesPerCall = 4;
/**
 * Git processes of background work at the same time, in all. More than the background work that goes on at once (ten
 * jobs, of which a train builds and lands at a time, and the loops that settle, purge and verify), so that none who
 * keeps a process open waits for another who does so too.
 */
const backgroundProcesses = 24;

const scopes = new AsyncLocalStorage<Scope>();

/** Places by kind of work; measured at `/metrics`. One per process, as the limits are. */
export const admissions = {
  call: new Admission(gitLimits),
  transfer: new Admission(() => ({ ...gitLimits(), waitMs: gitLimits().transferWaitMs })),
} as const;

const background: Scope = {
  enter: async () => undefined,
  slots: new Slots(backgroundProcesses),
  signal: undefined,
};

const running = { caller: 0, background: 0 };

/** Git processes that run, by whom they serve. */
export const runningProcesses = (): Readonly<typeof running> => running;

/**
 * Does work of a caller: every git process that is started within it, however deep, waits for the caller's place and is
 * ended when `signal` fires, or the work ends. Work outside of it is background work, which callers cannot hold up.
 */
export async function runForCaller<T>(given: CallerWork, work: () => Promise<T>): Promise<T> {
  let end: AbortController | undefined;
  let place: Promise<() => void> | undefined;
  let disconnected: AbortSignal | undefined;
  const onDisconnect = (): void =>
    end?.abort(new AppError('request_timeout', undefined, { cause: 'the caller has gone' }));
  const signal = (): AbortSignal => {
    if (end === undefined) {
      end = new AbortController();
      // One for each process that runs or waits for its slot.
      setMaxListeners(0, end.signal);
      disconnected = given.signal;
      if (disconnected.aborted) onDisconnect();
      else disconnected.addEventListener('abort', onDisconnect, { once: true });
    }
    return end.signal;
  };
  const scope: Scope = {
    async enter(repository) {
      place ??= admissions[given.kind].enter({ ...given, repository }, signal());
      await place;
    },
    slots: new Slots(processesPerCall),
    get signal() {
      return signal();
    },
  };
  try {
    return await scopes.run(scope, work);
  } finally {
    disconnected?.removeEventListener('abort', onDisconnect);
    // What was started and is not waited for any more, because other work of the call failed.
    end?.abort(new AppError('request_timeout', undefined, { cause: 'its work has ended' }));
    place?.then(
      (leave) => leave(),
      () => undefined,
    );
  }
}

/**
 * Does work that must finish once it has begun, even when its caller disconnects: git processes within it go by their
 * own time-outs alone and wait for no place.
 */
export function runToCompletion<T>(work: () => Promise<T>): Promise<T> {
  const scope = scopes.getStore();
  if (scope === undefined || scope === background) return work();
  return scopes.run({ ...background, slots: new Slots(processesPerCall) }, work);
}

/**
 * Waits for the place of this work before its first process, so that it can be refused while the caller can still get a
 * reply.
 */
export const claimSlot = (repository: string): Promise<void> => (scopes.getStore() ?? background).enter(repository);

/** What a git process is started with, and what gives its slot back once it has ended. */
export interface Admitted {
  readonly signal: AbortSignal | undefined;
  readonly done: () => void;
}

/**
 * Waits until a git process may start.
 * @param options.holdsLocks it does not depend on its caller: no place, no slot, and no end but its own
 * @throws AppError unavailable, rate_limited: see {@link Admission}
 */
export async function admitted(
  repository: string,
  options: { readonly signal?: AbortSignal; readonly holdsLocks?: boolean },
): Promise<Admitted> {
  const scope = scopes.getStore() ?? background;
  const kind = scope.signal === undefined ? 'background' : 'caller';
  const count = (release: () => void, signal: AbortSignal | undefined): Admitted => {
    running[kind] += 1;
    let counted = true;
    return {
      signal,
      done: () => {
        if (!counted) return;
        counted = false;
        running[kind] -= 1;
        release();
      },
    };
  };
  if (options.holdsLocks) return count(() => undefined, undefined);
  await scope.enter(repository);
  const signal =
    scope.signal === undefined || options.signal === undefined
      ? (scope.signal ?? options.signal)
      : AbortSignal.any([scope.signal, options.signal]);
  return count(await scope.slots.take(signal), signal);
}
