import type { Change } from './change';
import type { ChangeAudience } from './change-rights';

/** Where a feed is read: a project, or a group with what lies below it. */
export interface FeedScope {
  readonly kind: 'project' | 'group';
  readonly id: number;
}

/** A change without its body. */
export interface ListedChange extends ChangeAudience {
  readonly position: number;
}

/** A stretch of a feed. */
export interface Stretch {
  /** Newest position of the instance. */
  readonly head: number;
  /** Positions up to here are no longer kept. */
  readonly prunedThrough: number;
  /** In order, whoever may read them. */
  readonly changes: readonly ListedChange[];
}

/** A change as the feed prints it. */
export type PrintedChange = Omit<Change, 'ref' | 'confidential'>;

/** A page of a feed. */
export interface FeedPage {
  readonly changes: readonly PrintedChange[];
  /** Where to go on, also after an empty page. */
  readonly cursor: number;
  /** More may follow now. */
  readonly more: boolean;
}
