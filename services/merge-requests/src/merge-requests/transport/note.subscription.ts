import { type AnySubscription, noteEvents, subscription } from '@switchyard/events';
import type { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import type { KeepNoteCounters, KeepReactions, KeepReview } from '../application/merge-request.edges';
import type { ReactionChange } from '../domain/reactions';

/** What an event says of reactions to the noteable itself; undefined when nothing. */
function reactionsOf({ fact, reactions, actorId }: NoteEvent): Pick<ReactionChange, 'given' | 'taken'> | undefined {
  // Published again as a state, by no one.
  if (fact === undefined) return actorId === 0 ? { given: reactions, taken: 'others' } : undefined;
  if (fact.$case !== 'reacted' || fact.value.noteId !== 0) return undefined;
  // Events of earlier versions do not say whose it is: it was the actor's, but for those that administrators took back.
  const one = [{ userId: fact.value.userId || actorId, name: fact.value.name }];
  return fact.value.given ? { given: one, taken: [] } : { given: [], taken: one };
}

/**
 * Notes, threads and reactions on merge requests move the counters on their rows, and reactions what lists are narrowed
 * by; who publishes a review has reviewed; each event once (D4, D6).
 */
export const noteSubscription = (
  keep: KeepNoteCounters,
  keepReactions: KeepReactions,
  keepReview: KeepReview,
): AnySubscription =>
  subscription({
    event: noteEvents,
    concerns: ({ noteable }) => noteable?.kind === 'MergeRequest',
    async handle(event, tx) {
      const { noteable, counters, fact, occurredAt } = event;
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
      if (fact?.$case === 'reviewed') await keepReview(tx, noteable.id, event.actorId);
      const reactions = reactionsOf(event);
      if (reactions === undefined) return;
      await keepReactions(tx, { mergeRequestId: noteable.id, version: counters.version, ...reactions });
    },
  });
