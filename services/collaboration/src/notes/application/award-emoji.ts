import { type PageInfo, type PageRequest, requireUnmodified } from '@switchyard/database';
import { notFound, unauthorized } from '@switchyard/errors';
import { type CounterChange, type Noteable, type NoteableRef, noteableRules, type Reader } from '../../noteables';
import type { Awardable, AwardRow } from '../domain/award-emoji';
import { emojiName } from '../domain/emoji-note';
import { mayReact } from '../domain/note';
import type { NoteRow } from '../domain/note-row';
import type { ChangeNoteable } from './change-noteable';
import { isEmoji } from './emoji-names';
import type { Noteables } from './find-noteable';
import { visibleNote, writerOf } from './list-notes';
import type { AwardStore, NoteList } from './note.ports';

/** What reactions need. */
export interface Awarding {
  readonly find: Noteables;
  readonly notes: NoteList;
  readonly awards: AwardStore;
  readonly change: ChangeNoteable;
}

/** What a request reacts to: a noteable, or a note on it. */
export interface AwardableRef {
  readonly noteable: NoteableRef;
  readonly noteId: number | undefined;
}

interface Place {
  readonly noteable: Noteable;
  readonly note?: NoteRow;
}

const awardableOf = ({ noteable, note }: Place): Awardable =>
  note === undefined ? { type: noteable.kind, id: noteable.targetId } : { type: 'Note', id: note.id };

async function placeOf({ find, notes }: Awarding, reader: Reader, ref: AwardableRef): Promise<Place> {
  const noteable = await find(ref.noteable, reader);
  if (ref.noteId !== undefined) return { noteable, note: await visibleNote({ notes }, reader, noteable, ref.noteId) };
  if (!noteableRules[noteable.kind].reactions) throw notFound('Award Emoji');
  return { noteable };
}

/** What a reaction to a noteable itself counts for. */
function votes({ note }: Place, name: string, by: 1 | -1): CounterChange {
  if (note !== undefined) return {};
  return name === 'thumbsup' ? { upvotes: by } : name === 'thumbsdown' ? { downvotes: by } : {};
}

/**
 * Gives a reaction to what is readable. Fails with `not_found`, which tells in words what is wrong with the name (G-4.6-8); so it does
 * where the discussion is locked to whoever is no member.
 */
export const giveAward =
  ({ awards, change }: Pick<Awarding, 'awards' | 'change'>) =>
  (reader: Reader, place: Place, name: string): Promise<AwardRow> => {
    if (place.note?.system === true || !mayReact(writerOf(reader), place.noteable)) throw notFound('Award Emoji');
    const { userId } = reader.actor;
    const awardable = awardableOf(place);
    return change(place.noteable, userId, async (tx, _row, now) => {
      const id = await awards.give(tx, awardable, userId, name, now);
      const award = id === undefined ? undefined : await awards.find(awardable, id, tx);
      if (award === undefined) throw notFound('Award Emoji Name has already been taken');
      return {
        result: award,
        counters: votes(place, name, 1),
        fact: { $case: 'reacted', value: { noteId: place.note?.id ?? 0, name, given: true } },
      };
    });
  };

/** Reactions to something readable, oldest first. */
export const listAwards =
  (edges: Awarding) =>
  async (reader: Reader, ref: AwardableRef, request: PageRequest): Promise<{ rows: AwardRow[]; page: PageInfo }> =>
    edges.awards.page(awardableOf(await placeOf(edges, reader, ref)), request);

/** One reaction. Fails with `not_found`. */
export const getAward =
  (edges: Awarding) =>
  async (reader: Reader, ref: AwardableRef, id: number): Promise<AwardRow> => {
    const award = await edges.awards.find(awardableOf(await placeOf(edges, reader, ref)), id);
    if (award === undefined) throw notFound('Award Emoji');
    return award;
  };

/** Gives a reaction by name, with or without its alias. Fails with `not_found` for an unknown name and for one given already. */
export const createAward =
  (edges: Awarding) =>
  async (reader: Reader, ref: AwardableRef, given: string): Promise<AwardRow> => {
    const place = await placeOf(edges, reader, ref);
    const name = emojiName(given.trim());
    if (!isEmoji(name)) throw notFound('Award Emoji Name is not a valid emoji name');
    return giveAward(edges)(reader, place, name);
  };

/** Takes a reaction back: the giver or an administrator. Fails with `not_found`, `unauthorized`, `precondition_failed`. */
export const deleteAward =
  (edges: Awarding) =>
  async (reader: Reader, ref: AwardableRef, id: number, unmodifiedSince: Date | undefined): Promise<void> => {
    const place = await placeOf(edges, reader, ref);
    const writer = writerOf(reader);
    await edges.change(place.noteable, writer.userId, async (tx) => {
      const award = await edges.awards.find(awardableOf(place), id, tx);
      if (award === undefined) throw notFound('Award Emoji');
      if (award.userId !== writer.userId && !writer.admin) throw unauthorized();
      await requireUnmodified(tx, 'award_emoji', id, unmodifiedSince);
      await edges.awards.take(tx, id);
      return {
        result: undefined,
        counters: votes(place, award.name, -1),
        fact: { $case: 'reacted', value: { noteId: place.note?.id ?? 0, name: award.name, given: false } },
      };
    });
  };
