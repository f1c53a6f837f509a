import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { emojiName, isEmoji } from '@switchyard/texts';
import { type Noteable, type NoteableRef, noteableRules, type Reader } from '../../noteables';
import { decideAward, decideAwardRemoval } from '../domain/award-change';
import type { Awardable, AwardRow } from '../domain/award-emoji';
import { mayReact } from '../domain/note';
import type { NoteRow } from '../domain/note-row';
import type { Noteables } from './find-noteable';
import { visibleNote, writerOf } from './list-notes';
import type { AwardList, AwardStore, NoteList } from './note.ports';

/** What reactions need. */
export interface Awarding {
  readonly find: Noteables;
  readonly notes: NoteList;
  readonly awards: AwardList;
  readonly store: AwardStore;
}

/** What a request reacts to: a noteable, or a note on it. */
export interface AwardableRef {
  readonly noteable: NoteableRef;
  readonly noteId: number | undefined;
}

interface ReactionTarget {
  readonly noteable: Noteable;
  /** Undefined: the noteable itself. */
  readonly note?: NoteRow | undefined;
}

const awardableOf = ({ noteable, note }: ReactionTarget): Awardable =>
  note === undefined ? { type: noteable.kind, id: noteable.targetId } : { type: 'Note', id: note.id };

async function targetOf({ find, notes }: Awarding, reader: Reader, ref: AwardableRef): Promise<ReactionTarget> {
  const noteable = await find(ref.noteable, reader);
  if (ref.noteId !== undefined) return { noteable, note: await visibleNote({ notes }, reader, noteable, ref.noteId) };
  if (!noteableRules[noteable.kind].reactions) throw notFound('Award Emoji');
  return { noteable };
}

/**
 * Gives a reaction. Fails with `not_found`, whose message says what is wrong with the name (G-4.6-8), also where the
 * discussion is locked and the caller is not a member.
 */
export const giveAward =
  ({ store }: Pick<Awarding, 'store'>) =>
  async (reader: Reader, { noteable, note }: ReactionTarget, name: string): Promise<AwardRow> => {
    if (note?.system === true || !mayReact(writerOf(reader), noteable)) throw notFound('Award Emoji');
    const { userId } = reader.actor;
    const awardable = awardableOf({ noteable, note });
    return store.change(noteable, userId, { awardable }, (_, now) => decideAward(awardable, userId, name, now));
  };

/** Reactions to a noteable or a note, oldest first. Fails with `not_found`. */
export const listAwards =
  (edges: Awarding) =>
  async (reader: Reader, ref: AwardableRef, request: PageRequest): Promise<{ rows: AwardRow[]; page: PageInfo }> =>
    edges.awards.page(awardableOf(await targetOf(edges, reader, ref)), request);

/** One reaction. Fails with `not_found`. */
export const getAward =
  (edges: Awarding) =>
  async (reader: Reader, ref: AwardableRef, id: number): Promise<AwardRow> => {
    const award = await edges.awards.find(awardableOf(await targetOf(edges, reader, ref)), id);
    if (award === undefined) throw notFound('Award Emoji');
    return award;
  };

/**
 * Gives a reaction by name, with or without its alias. Fails with `not_found` for an unknown name and for one given
 * already.
 */
export const createAward =
  (edges: Awarding) =>
  async (reader: Reader, ref: AwardableRef, given: string): Promise<AwardRow> => {
    const target = await targetOf(edges, reader, ref);
    const name = emojiName(given.trim());
    if (!isEmoji(name)) throw notFound('Award Emoji Name is not a valid emoji name');
    return giveAward(edges)(reader, target, name);
  };

/**
 * Takes a reaction back: the giver or an administrator. Fails with `not_found`, `unauthorized`, `precondition_failed`.
 */
export const deleteAward =
  (edges: Awarding) =>
  async (reader: Reader, ref: AwardableRef, id: number, unmodifiedSince: Date | undefined): Promise<void> => {
    const target = await targetOf(edges, reader, ref);
    const writer = writerOf(reader);
    await edges.store.change(target.noteable, writer.userId, { awardable: awardableOf(target), id }, (award) =>
      decideAwardRemoval(award, writer, unmodifiedSince),
    );
  };
