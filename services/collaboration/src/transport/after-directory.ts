import type { Directory } from '@switchyard/directory';

/**
 * Waits, before the transaction of an event, until this replica has reached the sequence that the event carries: whom and what it names is
 * known then (D5). Fails with `unavailable`, so that the event is delivered again, where groups-admin cannot be reached.
 */
export const afterDirectory =
  (directory: Pick<Directory, 'ensure'>) =>
  ({ directorySequence }: { directorySequence: number }): Promise<void> =>
    directory.ensure(directorySequence);
