import { requireUnmodified } from '@switchyard/database';
import { badRequest, notFound } from '@switchyard/errors';
import { mentionsIn, newMentions, parseQuickActions } from '@switchyard/texts';
import { type CounterChange, type Noteable, type NoteableRef, noteableRules, type Reader } from '../../noteables';
import type { AwardRow } from '../domain/award-emoji';
import { emojiOnlyName } from '../domain/emoji-note';
import { checkBody, checkMayComment, checkMayEdit, momentOf, type Note, requireSeen } from '../domain/note';
import { noteSubject } from '../domain/note-fact';
import type { giveAward } from './award-emoji';
import type { ChangeNoteable } from './change-noteable';
import { isEmoji } from './emoji-names';
import type { Noteables } from './find-noteable';
import { type FoundNote, visibleNote, writerOf } from './list-notes';
import type { NoteList, NoteStore } from './note.ports';
import { type CommandOutcome, noCommands, type RunCommands } from './run-quick-actions';

/** What writing notes needs. */
export interface NoteWriting {
  readonly find: Noteables;
  readonly notes: NoteList;
  readonly store: NoteStore;
  readonly change: ChangeNoteable;
  readonly runCommands: RunCommands;
  readonly giveAward: ReturnType<typeof giveAward>;
  readonly clock: () => Date;
  /** A body that is one emoji is a reaction (G-4.6-8), not a note. */
  readonly emojiNotesReact: boolean;
}

/** A note as somebody wants it. */
export interface NoteWish {
  readonly body: string;
  readonly internal: boolean;
  /** Honoured from owners and administrators (G-4.6-7). */
  readonly createdAt: Date | undefined;
}

/** What became of a body: a note, a reaction, or commands alone (G-2-17, G-2-18). */
export type Written =
  | (FoundNote & { readonly kind: 'note'; readonly commands: CommandOutcome })
  | { readonly kind: 'reaction'; readonly award: AwardRow }
  | { readonly kind: 'commands'; readonly commands: CommandOutcome };

/** What a note that is added (1) or deleted (-1) changes in the counts. */
export const counted = ({ internal }: Pick<Note, 'internal'>, by: 1 | -1): CounterChange => ({
  userNotesCount: by,
  internalNotesCount: internal ? by : 0,
});

/** Mentions as an event tells them. */
export const mentionsOf = (body: string, before?: string) => {
  const found = mentionsIn(body);
  const { usernames, directlyAddressed } = before === undefined ? found : newMentions(mentionsIn(before), found);
  return { usernames: [...usernames], directlyAddressedUsernames: [...directlyAddressed] };
};

/** What is left of a body to be written, and what its commands came to. */
export interface CarriedOut {
  readonly text: string;
  readonly outcome: CommandOutcome;
  /** Nothing else is said: no note is written (G-2-18). */
  readonly commandsOnly: boolean;
}

/**
 * Carries out the commands of a body. They run before the rest is written: whatever else can be refused must have been looked at. What they
 * ask of whoever writes is no older than the note, which would settle it otherwise: a note with commands happens when these begin.
 * @param checkText refuses what cannot be written where it is to stand
 */
export async function carryOut(
  runCommands: RunCommands,
  reader: Reader,
  noteable: Noteable,
  body: string,
  checkText: (text: string) => void = () => undefined,
): Promise<CarriedOut> {
  const { text, commands } = parseQuickActions(body, noteable.kind);
  if (commands.length === 0) return { text, outcome: noCommands, commandsOnly: false };
  const commandsOnly = text.trim() === '';
  if (!commandsOnly) checkText(text);
  return { text, outcome: await runCommands(reader, noteable, commands, !commandsOnly), commandsOnly };
}

/**
 * Writes a comment (G-4.6-3). Commands run first: they may run again without harm when the note could not be written, whereas a note
 * written twice is a note too many. Fails with `not_found`, `forbidden`, `bad_request`.
 */
export const createNote =
  ({ find, notes, store, change, runCommands, giveAward: give, clock, emojiNotesReact }: NoteWriting) =>
  async (reader: Reader, ref: NoteableRef, { body, internal, createdAt }: NoteWish): Promise<Written> => {
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    checkMayComment(writer, noteable, internal);
    checkBody(body);
    const at = momentOf(writer, createdAt, clock());
    // A reaction is everybody's to see: what is said to few stays a note.
    const emoji =
      emojiNotesReact && !internal && noteableRules[noteable.kind].reactions ? emojiOnlyName(body) : undefined;
    if (emoji !== undefined && isEmoji(emoji))
      return { kind: 'reaction', award: await give(reader, { noteable }, emoji) };

    const began = clock();
    const { text, outcome, commandsOnly } = await carryOut(runCommands, reader, noteable, body);
    if (commandsOnly) return { kind: 'commands', commands: outcome };
    const note = await change(noteable, writer.userId, async (tx, row) => {
      const id = await store.insert(tx, {
        noteableId: row,
        projectId: noteable.projectId,
        discussionId: undefined,
        type: undefined,
        authorId: writer.userId,
        body: text,
        internal,
        position: undefined,
        resolvedById: undefined,
        at,
      });
      const written = await notes.find(noteable, id, tx);
      if (written === undefined) throw new Error('a note that has just been written is not there');
      return {
        result: written,
        counters: counted(written, 1),
        occurredAt: began,
        fact: { $case: 'created', value: { note: noteSubject(written), mentions: mentionsOf(text) } },
      };
    });
    return { kind: 'note', noteable, note, commands: outcome };
  };

/**
 * Changes the body of a note, where one is given (G-4.6-4). Fails with `not_found`; with `forbidden` for system notes, and for users who
 * are neither author nor Maintainer; with `bad_request` when `confidential` would change or the body cannot be one.
 */
export const updateNote =
  ({ find, notes, store, change }: Pick<NoteWriting, 'find' | 'notes' | 'store' | 'change'>) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    id: number,
    { body, confidential }: { body: string | undefined; confidential: boolean | undefined },
  ): Promise<FoundNote> => {
    const noteable = await find(ref, reader);
    const seen = await visibleNote({ notes }, reader, noteable, id);
    const writer = writerOf(reader);
    checkMayEdit(writer, seen);
    // What may no longer be said in a new comment must not be said by an old one.
    checkMayComment(writer, noteable, false);
    if (confidential !== undefined && confidential !== seen.internal)
      throw badRequest('Note {:confidential=>["can\'t be changed"]}');
    if (body === undefined) return { noteable, note: seen };
    checkBody(body);
    const note = await change(noteable, writer.userId, async (tx, _row, now) => {
      const before = await notes.find(noteable, id, tx);
      if (before === undefined) throw notFound();
      if (before.body === body) return { result: before };
      await store.changeBody(tx, id, body, now);
      return {
        result: { ...before, body, updatedAt: now },
        fact: { $case: 'updated', value: { note: noteSubject(before), mentions: mentionsOf(body, before.body) } },
      };
    });
    return { noteable, note };
  };

/** Threads of a noteable that are counted as waiting to be resolved, more or fewer, when one goes from `before` to `after` open notes. */
export const unresolvedChange = (noteable: Noteable, before: number, after: number): number =>
  noteableRules[noteable.kind].countsThreads ? Number(after > 0) - Number(before > 0) : 0;

/**
 * Deletes a note (G-4.6-5). Fails with `not_found`, `forbidden`; with `precondition_failed` when it changed after `unmodifiedSince`.
 * @param discussionId the discussion it must belong to; undefined: any
 */
export const deleteNote =
  ({ find, notes, store, change }: Pick<NoteWriting, 'find' | 'notes' | 'store' | 'change'>) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    id: number,
    { unmodifiedSince, discussionId }: { unmodifiedSince: Date | undefined; discussionId: string | undefined },
  ): Promise<void> => {
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    await change(noteable, writer.userId, async (tx, row) => {
      const found = await notes.find(noteable, id, tx, reader.actor);
      const inPlace = discussionId === undefined || found?.discussionId === discussionId;
      const note = requireSeen(writer, inPlace ? found : undefined);
      checkMayEdit(writer, note);
      await requireUnmodified(tx, 'notes', id, unmodifiedSince);
      const before = await store.discussion(tx, row, note.discussionId);
      await store.remove(tx, id);
      const after = await store.discussion(tx, row, note.discussionId);
      return {
        result: undefined,
        counters: {
          ...counted(note, -1),
          unresolvedCount: unresolvedChange(noteable, before?.unresolved ?? 0, after?.unresolved ?? 0),
        },
        fact: { $case: 'deleted', value: { note: noteSubject(note) } },
      };
    });
  };
