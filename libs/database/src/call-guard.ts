import { AsyncLocalStorage } from 'node:async_hooks';
import { isAppError, mayHaveBegun } from '@switchyard/errors';
import { databaseError, isLostUnderway } from './errors';

/** A call whose caller waits. */
interface GuardedCall {
  /** Whether it has written: from then on it is not refused. */
  wrote: boolean;
  /** Commits of writes that have been sent and not answered. */
  committing: number;
  /** Whether the answer to the commit of a write was lost. */
  lost: boolean;
  /** Whether it has its reply. Work that still runs is then not refused. */
  over: boolean;
  /** Throws when a reply can no longer arrive in time. */
  readonly refuseLate: () => void;
  /** Called after each commit of a write. */
  readonly noteBegun: () => void;
}

const calls = new AsyncLocalStorage<GuardedCall>();

/**
 * Runs a call and refuses its first write when the reply would be too late: `refuseLate` throws, and the transaction is
 * rolled back. After the first write the call is not refused: half of a change would be worse than a late one. Writes
 * through Prisma are not refused.
 * What asks the caller to come again under the commit of a write says that something may have been begun (ADR 49). A database
 * that is away is `unavailable`, through Prisma as well.
 */
export async function guardWrites<T>(
  given: Pick<GuardedCall, 'refuseLate' | 'noteBegun'>,
  work: () => Promise<T>,
): Promise<T> {
  const call: GuardedCall = { wrote: false, committing: 0, lost: false, over: false, ...given };
  try {
    // Awaited inside: a Prisma promise sends its statement only when it is first awaited.
    return await calls.run(call, async () => await work());
  } catch (error) {
    const failure = databaseError(error);
    const isOpen = call.lost || call.committing > 0;
    throw isOpen && isAppError(failure, 'unavailable', 'rate_limited', 'request_timeout')
      ? mayHaveBegun(failure)
      : failure;
  } finally {
    call.over = true;
  }
}

const nothing = (): void => undefined;

/**
 * Runs writes that belong to several calls: none of them refuses them, and where their commit is lost, all of them fail
 * saying so. A call that goes on after them calls `noteShared`.
 */
export const sharedWrites = <T>(work: () => Promise<T>): Promise<T> =>
  guardWrites({ refuseLate: nothing, noteBegun: nothing }, work);

/** Notes that a write of `sharedWrites` was one of the running call. */
export function noteShared(): void {
  const call = calls.getStore();
  if (call === undefined) return;
  call.wrote = true;
  call.noteBegun();
}

/** Runs `work` as part of no call. */
export const unguarded = <T>(work: () => T): T => calls.exit(work);

const reading = /^\s*(select|values|show|explain|set|savepoint|release|rollback|begin|start|lock|commit)\b/i;
const writingWithin = /\b(insert\s+into|update|delete\s+from|merge\s+into)\b/i;

/**
 * Whether a statement writes rows by itself. A `select` that calls a function which writes, or locks rows, counts as
 * reading.
 */
export const isWriting = (text: string): boolean =>
  !reading.test(text) && (!/^\s*with\b/i.test(text) || writingWithin.test(text));

/** Called before the commit of a write. @throws what the call's guard throws */
export function refuseLateWrite(): void {
  const call = calls.getStore();
  if (call !== undefined && !call.wrote && !call.over) call.refuseLate();
}

/** Called when the commit of a write is sent; what it returns is called with the answer. */
export function beginCommit(): (outcome: 'committed' | 'rolled back' | { readonly failure: unknown }) => void {
  const call = calls.getStore();
  if (call !== undefined) call.committing += 1;
  return (outcome) => {
    if (call === undefined) return;
    call.committing -= 1;
    if (outcome === 'committed') {
      call.wrote = true;
      call.noteBegun();
    } else if (outcome !== 'rolled back' && isLostUnderway(outcome.failure)) call.lost = true;
  };
}
