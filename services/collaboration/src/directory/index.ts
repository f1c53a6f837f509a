import type { Directory } from '@switchyard/directory';

/**
 * Waits, before the transaction of an event, until this replica has reached the sequence that the event carries. All users and
 * objects that it names are known then (D5). Fails with `unavailable` when groups-admin cannot be reached; the event is delivered again.
 */
export const afterDirectory =
  (directory: Pick<Directory, 'ensure'>) =>
  ({ directorySequence }: { directorySequence: number }): Promise<void> =>
    directory.ensure(directorySequence);
