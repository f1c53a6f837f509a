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

/**
 * Runs the quick actions of a body, then writes the rest as a note. They run first: they may run again without harm
 * when the note could not be written, whereas a note must not be written twice. So everything that can refuse the note
 * must be checked before. A note with quick actions happened when these began; otherwise it would be newer than the
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
  // Entries of time name the note, which is written after them.
  const noteId = !commandsOnly && commands.some(tracksTime) ? await store.reserveId() : undefined;
  const outcome =
    commands.length === 0 ? noCommands : await runCommands(reader, noteable, commands, !commandsOnly, { noteId });
  if (commandsOnly) return { kind: 'commands', commands: outcome };
  const note = await store.change(noteable, writerOf(reader).userId, selection, (locked) => {
    const decision = withNoteId(decide(text, locked), noteId);
    return decision && { ...decision, occurredAt };
  });
  if (note === undefined) throw notFound();
  return { kind: 'written', noteable, note, commands: outcome };
}
