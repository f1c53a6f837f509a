import type { ShareChangeRequest, ShareDecision, ShareFacts } from '../domain/share-change';
import type { Share } from '../domain/share-row';

/** Shares in the database; each change is one transaction with its events and directory changes. */
export interface ShareStore {
  /**
   * Locks what is shared, so that changes of its shares follow one another, decides and saves; returns the share, new
   * or as it was. Undefined when there is nothing to share any more.
   * @throws AppError precondition_failed; what `decide` throws
   */
  change(request: ShareChangeRequest, decide: (facts: ShareFacts) => ShareDecision): Promise<Share | undefined>;
  /** Removes shares that have expired, oldest first; returns how many. */
  expire(limit: number): Promise<number>;
}
