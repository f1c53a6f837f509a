import { AsyncLocalStorage } from 'node:async_hooks';
import { isAppError, mayHaveBegun } from '@switchyard/errors';
import { isLostUnderway } from './errors';

/** A call whose caller waits. */
interface GuardedCall {
  /** Whether it has written: from then on it is not refused. */
  wrote: boolean;
  /** Whether the commit of a write has been sent and not been answered. */
  committing: boolean;
  /** Whether it has its reply. Work that still runs is then not refused. */
  over: boolean;
  /** Throws when a reply can no longer arrive in time. */
  readonly refuseLate: () => void;
}

const calls = new AsyncLocalStorage<GuardedCall>();

/**
 * Runs a call and refuses its first write when the reply would be too late: `refuseLate` throws, and the transaction is
 * rolled back. After the first write the call is not refused: half of a change would be worse than a late one.
 * What fails with `unavailable` after a write, or under its commit, says that something was begun (ADR 49).
 */
export async function guardWrites<T>(refuseLate: () => void, work: () => Promise<T>): Promise<T> {
  const call: GuardedCall = { wrote: false, committing: false, over: false, refuseLate };
  try {
    return await calls.run(call, work);
  } catch (error) {
    const isUnknown = call.wrote || (call.committing && isLostUnderway(error));
    throw isUnknown && isAppError(error, 'unavailable') ? mayHaveBegun(error) : error;
  } finally {
    call.over = true;
  }
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

/** Called before the commit of a call's first write. @throws what the call's guard throws */
export function beforeWrite(): void {
  const call = calls.getStore();
  if (call === undefined) return;
  if (!call.wrote && !call.over) call.refuseLate();
  call.committing = true;
}

/** Called after the commit of a write. */
export function afterWrite(): void {
  const call = calls.getStore();
  if (call === undefined) return;
  call.wrote = true;
  call.committing = false;
}
