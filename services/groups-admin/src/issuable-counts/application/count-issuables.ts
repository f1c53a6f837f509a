import type { Tx } from '@switchyard/database';
import type { CountedIssuable, issuableCounts } from '../storage/issuable-count.store';

/** What the owner of an issue or merge request tells of it. */
export interface ToldIssuable extends Omit<CountedIssuable, 'state'> {
  /** As the owner has it. */
  readonly state: string;
  readonly deleted: boolean;
}

/** States at the owner that count as open; one that is being merged is not merged yet. */
const open = new Set(['opened', 'locked']);

/** Issues and merge requests count on their projects and labels as their owners tell of them. */
export const countIssuables =
  ({ counts }: { counts: Pick<typeof issuableCounts, 'count'> }) =>
  (tx: Tx, { state, deleted, ...told }: ToldIssuable): Promise<void> =>
    counts.count(tx, { ...told, state: deleted ? 'gone' : open.has(state) ? 'opened' : 'closed' });
