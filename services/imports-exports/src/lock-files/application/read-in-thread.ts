import type { BomPart } from '../../boms';
import { inThreads, type ThreadLimits, ThreadOverrun } from '../../threads';
import { unreadable } from '../domain/read-lock-file';

/** A lock file that is read. */
export interface LockFile {
  readonly path: string;
  readonly text: string;
}

/** A file of 8 MiB needs a few seconds, and 200 MiB of heap at most; as many are read as exports are made. */
const usual: ThreadLimits = { milliseconds: 60_000, mebibytes: 256, most: 2 };

/** Reads lock files in threads. What takes more than 60 seconds or 256 MiB of heap is named as unreadable. */
export function readInThread(limits: ThreadLimits = usual) {
  const read = inThreads<LockFile, BomPart>('lock-files/application/lock-file.worker.js', limits);
  return async function* (path: string, text: string, signal: AbortSignal): AsyncGenerator<BomPart> {
    try {
      yield* read({ path, text }, signal);
    } catch (error) {
      if (!(error instanceof ThreadOverrun)) throw error;
      yield unreadable(path);
    }
  };
}

/** What `readInThread` gives. */
export type ReadLockFile = ReturnType<typeof readInThread>;
