import { notFound } from '@switchyard/errors';
import { isEmoji } from '@switchyard/texts';
import { type NoteableRef, noteableRules, type Reader } from '../../noteables';
import type { AwardRow } from '../domain/award-emoji';
import { emojiOnlyName } from '../domain/emoji-note';
import { checkBody, checkMayComment, checkMayEdit, timestampOf } from '../domain/note';
import { decideDeletion, decideEdit, decideNewDiscussion, requireSameConfidentiality } from '../domain/note-change';
import type { giveAward } from './award-emoji';
import type { Noteables } from './find-noteable';
import { type FoundNote, visibleNote, writerOf } from './list-notes';
import type { NoteList, NoteStore } from './note.ports';
import type { SuggestedChanges } from './suggestion.ports';
import { suggestionsIn } from './suggestions';
import { type TextWriting, type WrittenText, writeText } from './write-text';

/** What writing notes needs. */
export interface NoteWriting extends TextWriting {
  readonly find: Noteables;
  readonly giveAward: ReturnType<typeof giveAward>;
  /** A body that is one emoji is a reaction (G-4.6-8), not a note. */
  readonly emojiNotesReact: boolean;
}

/** What changing notes needs. */
export interface NoteChanging {
  readonly find: Noteables;
  readonly notes: NoteList;
  readonly store: NoteStore;
  readonly changes: Pick<SuggestedChanges, 'read'>;
}

/** A comment as it is requested. */
export interface NewNoteRequest {
  readonly body: string;
  readonly internal: boolean;
  /** Honoured from owners and administrators (G-4.6-7). */
  readonly createdAt: Date | undefined;
}

/** The result of a comment: a note, a reaction, or quick actions alone (G-2-17, G-2-18). */
export type Written = WrittenText<FoundNote> | { readonly kind: 'reaction'; readonly award: AwardRow };

/** Writes a comment (G-4.6-3). Fails with `not_found`, `forbidden`, `bad_request`. */
export const createNote =
  ({ find, giveAward: give, emojiNotesReact, ...writing }: NoteWriting) =>
  async (reader: Reader, ref: NoteableRef, { body, internal, createdAt }: NewNoteRequest): Promise<Written> => {
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    checkMayComment(writer, noteable, internal);
    checkBody(body);
    const at = timestampOf(writer, createdAt, writing.clock());
    // Everyone sees a reaction, so an internal emoji stays a note.
    const emoji =
      emojiNotesReact && !internal && noteableRules[noteable.kind].reactions ? emojiOnlyName(body) : undefined;
    if (emoji !== undefined && isEmoji(emoji))
      return { kind: 'reaction', award: await give(reader, { noteable }, emoji) };
    return writeText(writing, reader, noteable, body, {
      decide: (text) =>
        decideNewDiscussion(noteable, {
          type: undefined,
          authorId: writer.userId,
          body: text,
          internal,
          position: undefined,
          at,
        }),
    });
  };

/**
 * Changes the body of a note, where one is given (G-4.6-4). Fails with `not_found`; with `forbidden` for system notes,
 * and for users who are neither author nor Maintainer; with `bad_request` when `confidential` would change or the body
 * cannot be one.
 */
export const updateNote =
  ({ find, notes, store, changes }: NoteChanging) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    id: number,
    { body, confidential }: { body: string | undefined; confidential: boolean | undefined },
  ): Promise<FoundNote> => {
    const noteable = await find(ref, reader);
    const seen = await visibleNote({ notes }, reader, noteable, id);
    const writer = writerOf(reader);
    checkMayEdit(writer, seen, noteable.kind);
    // Who may not write a new comment must not write one by an edit.
    checkMayComment(writer, noteable, false);
    requireSameConfidentiality(seen, confidential);
    if (body === undefined) return { noteable, note: seen };
    checkBody(body);
    const [suggestions] = await suggestionsIn(changes, noteable, [{ position: seen.position, body }]);
    const suggesting = seen.type === 'DiffNote' ? suggestions : undefined;
    const note = await store.change(noteable, writer.userId, { note: { id } }, (locked, at) =>
      decideEdit(locked, { body, suggestions: suggesting, at }),
    );
    if (note === undefined) throw notFound();
    return { noteable, note };
  };

/**
 * Deletes a note (G-4.6-5). Fails with `not_found`, `forbidden`; with `precondition_failed` when it changed after
 * `unmodifiedSince`.
 * @param discussionId the discussion it must belong to; undefined: any
 */
export const deleteNote =
  ({ find, store }: Pick<NoteChanging, 'find' | 'store'>) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    id: number,
    condition: { unmodifiedSince: Date | undefined; discussionId: string | undefined },
  ): Promise<void> => {
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    const selection = { note: { id, viewer: reader.actor }, discussion: 'of the note' } as const;
    await store.change(noteable, writer.userId, selection, (locked) =>
      decideDeletion(locked, noteable, { writer, ...condition }),
    );
  };
