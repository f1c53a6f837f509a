import { createHash } from 'node:crypto';
import { notFound } from '@switchyard/errors';
import { parseQuickActions } from '@switchyard/texts';
import type { Noteable, Reader } from '../../noteables';
import { type LockedNotes, type NoteDecision, withNoteId } from '../domain/note-change';
import type { NoteSelection } from '../domain/note-selection';
import { type FoundNote, writerOf } from './list-notes';
import type { NoteStore } from './note.ports';
import { type CommandOutcome, noCommands, type RunCommands, tracksTime } from './run-quick-actions';

/** The result of writing a body: a note, or quick actions alone (G-2-17, G-2-18). */
export type WrittenText<T> =
  | (T & { readonly kind: 'written'; readonly commands: CommandOutcome })
  | { readonly kind: 'commands'; readonly commands: CommandOutcome };

/** What writing a body needs. */
export interface TextWriting {
  readonly store: NoteStore;
  readonly runCommands: RunCommands;
  readonly clock: () => Date;
}

/** How the text that is left of a body becomes a note. */
export interface TextTarget {
  /** Default: nothing is read. */
  readonly selection?: NoteSelection;
  /** Refuses a text that cannot be written there, before any quick action runs. */
  readonly checkText?: (text: string) => void;
  readonly decide: (text: string, locked: LockedNotes) => NoteDecision;
}

/** What tells a text from others of its author on the same noteable. */
const digestOf = ({ discussion }: NoteSelection, body: string): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([discussion ?? null, body]))
    .digest();

/**
 * Runs the quick actions of a body, then writes the rest as a note. They run first: they may run again without harm
 * when the note could not be written, whereas a note must not be written twice. So everything that can refuse the note
 * must be checked before. Time is not counted again: an author who sends a text again that was begun and not finished
 * continues it. A note with quick actions happened when these began; otherwise it would be newer than the
 * to-dos that they raise for its author, and resolve these.
 */
export async function writeText(
  { store, runCommands, clock }: TextWriting,
  reader: Reader,
  noteable: Noteable,
  body: string,
  { selection = {}, checkText, decide }: TextTarget,
): Promise<WrittenText<FoundNote>> {
  const occurredAt = clock();
  const { text, commands } = parseQuickActions(body, noteable.kind);
  const commandsOnly = commands.length > 0 && text.trim() === '';
  if (commands.length > 0 && !commandsOnly) checkText?.(text);
  const authorId = writerOf(reader).userId;
  // Entries of time name the note, which is written after them.
  const begun = commands.some(tracksTime)
    ? await store.begin(noteable, authorId, digestOf(selection, body))
    : undefined;
  const origin = begun === undefined ? {} : { noteId: commandsOnly ? undefined : begun, cause: `note:${begun}` };
  const outcome =
    commands.length === 0 ? noCommands : await runCommands(reader, noteable, commands, !commandsOnly, origin);
  if (commandsOnly) {
    if (begun !== undefined) await store.finish(begun);
    return { kind: 'commands', commands: outcome };
  }
  const write = (locked: LockedNotes): NoteDecision => {
    const decision = withNoteId(decide(text, locked), begun);
    return decision && { ...decision, occurredAt };
  };
  const note = await store.change(noteable, authorId, selection, write, begun);
  if (note === undefined) throw notFound();
  return { kind: 'written', noteable, note, commands: outcome };
}
