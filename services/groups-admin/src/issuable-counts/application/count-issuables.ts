import type { Tx } from '@switchyard/database';
import type { CountedIssuable } from '../domain/counted-issuable';

/** Counts that labels and projects print. */
export interface IssuableCountStore {
  /**
   * Replaces the known state of one, and changes the counts by the difference. An older version changes
   * nothing, and so does one in a deleted project.
   */
  count(tx: Tx, issuable: CountedIssuable): Promise<void>;
}

/** What the owner of an issue or merge request reports. */
export interface ReportedIssuable extends Omit<CountedIssuable, 'state'> {
  /** As the owner has it. */
  readonly state: string;
  readonly deleted: boolean;
}

/** States at the owner that count as open; one that is being merged is not merged yet. */
const open = new Set(['opened', 'locked']);

/** Issues and merge requests count on their projects and labels as their owners report them. */
export const countIssuables =
  ({ counts }: { counts: IssuableCountStore }) =>
  (tx: Tx, { state, deleted, ...reported }: ReportedIssuable): Promise<void> =>
    counts.count(tx, { ...reported, state: deleted ? 'gone' : open.has(state) ? 'opened' : 'closed' });
