import type { Directory } from '@switchyard/directory';
import { unavailable } from '@switchyard/errors';

/**
 * Fails with `unavailable` while this replica has not reached the sequence that an event carries: what the event names may not have arrived
 * yet (D5). The wait happens between two tries: no remote call inside the transaction.
 */
export function requireDirectory(directory: Pick<Directory, 'sequence' | 'ensure'>, sequence: number): void {
  if (sequence <= directory.sequence()) return;
  directory.ensure(sequence).catch(() => undefined);
  throw unavailable(`the directory has not reached ${sequence}`);
}
