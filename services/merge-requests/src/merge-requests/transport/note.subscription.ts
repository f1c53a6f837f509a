import { type AnySubscription, noteEvents, subscription } from '@switchyard/events';
import type { KeepNoteCounters } from '../application/merge-request.edges';

/** Notes, threads and reactions on merge requests move the counters on their rows, each event once (D4, D6). */
export const noteSubscription = (keep: KeepNoteCounters): AnySubscription =>
  subscription({
    event: noteEvents,
    async handle({ noteable, counters, fact, occurredAt }, tx) {
      if (noteable?.kind !== 'MergeRequest' || counters === undefined) return;
      await keep(tx, {
        mergeRequestId: noteable.id,
        version: counters.version,
        userNotes: counters.userNotesCount,
        internalNotes: counters.internalNotesCount,
        unresolvedDiscussions: counters.unresolvedDiscussionsCount,
        upvotes: counters.upvotes,
        downvotes: counters.downvotes,
        activeAt: fact?.$case === 'created' && fact.value.note?.internal !== true ? occurredAt : undefined,
      });
    },
  });
