import { isAppError } from '@switchyard/errors';
import type { LaterFact, MergeRequestFact } from '../domain/merge-request-change';
import type { MergeRequestEdges } from './merge-request.edges';

/** A job's payload is JSON: times travel as text. */
const revived = (fact: MergeRequestFact): MergeRequestFact =>
  fact.kind === 'train_state_changed' && fact.until !== undefined ? { ...fact, until: new Date(fact.until) } : fact;

/**
 * The job that publishes facts about merge requests whose rows the transaction that made them true did not lock: each
 * in a transaction of its own. Run again, it publishes the same events, whose ids derive from the fact.
 */
export const publishLaterFacts =
  (edges: Pick<MergeRequestEdges, 'mergeRequests'>) =>
  async (facts: readonly LaterFact[], actorId: number): Promise<void> => {
    for (const { mergeRequestId, fact } of facts) {
      await edges.mergeRequests
        .change(mergeRequestId, actorId, () => ({ facts: [revived(fact)], quiet: true }))
        .catch((error: unknown) => {
          // Deleted in the meantime.
          if (!isAppError(error, 'not_found')) throw error;
        });
    }
  };
