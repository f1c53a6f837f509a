import { notFound, unauthorized } from '@switchyard/errors';
import { type CounterChange, type NoteableKind, requireUnmodified } from '../../noteables';
import type { Awardable, AwardRow } from './award-emoji';
import type { Writer } from './note';

/** One step of a change of reactions; it becomes one event. */
export type AwardStep =
  | {
      readonly kind: 'give';
      readonly awardable: Awardable;
      readonly userId: number;
      readonly name: string;
      readonly at: Date;
    }
  | { readonly kind: 'take'; readonly award: AwardRow };

/** The result of a decision about reactions. */
export interface AwardDecision {
  readonly step: AwardStep;
  readonly counters: CounterChange;
}

/** How a reaction changes the counters of its noteable: only thumbs to the noteable itself count. */
function votes(type: NoteableKind | 'Note', name: string, by: 1 | -1): CounterChange {
  if (type === 'Note') return {};
  return name === 'thumbsup' ? { upvotes: by } : name === 'thumbsdown' ? { downvotes: by } : {};
}

/** Gives a reaction. */
export const decideAward = (awardable: Awardable, userId: number, name: string, at: Date): AwardDecision => ({
  step: { kind: 'give', awardable, userId, name, at },
  counters: votes(awardable.type, name, 1),
});

/**
 * Takes a reaction back.
 * @throws AppError not_found; unauthorized for others than its giver and administrators; precondition_failed when it
 * changed after `unmodifiedSince`
 */
export function decideAwardRemoval(
  award: AwardRow | undefined,
  writer: Writer,
  unmodifiedSince: Date | undefined,
): AwardDecision {
  if (award === undefined) throw notFound('Award Emoji');
  if (award.userId !== writer.userId && !writer.admin) throw unauthorized();
  requireUnmodified(award, unmodifiedSince);
  return { step: { kind: 'take', award }, counters: votes(award.awardable.type, award.name, -1) };
}
