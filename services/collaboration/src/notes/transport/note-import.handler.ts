import { isAppError } from '@switchyard/errors';
import {
  type ImportedPosition,
  NoteImportServiceService,
  type ImportedNote as NoteMessage,
} from '@switchyard/protos/collaboration/v1/note_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ImportNotes } from '../application/import-notes';
import type { ImportedNote, ImportedNoteable } from '../domain/imported-note';
import { type NotePosition, toPosition } from '../domain/note-position';

/** Notes of one request. */
const maxItems = 100;

const kinds: readonly string[] = ['Issue', 'MergeRequest'] satisfies ImportedNoteable[];

/** A position of an archive; undefined where it is none: its note is one of a thread still. */
function positionOf({ place, lineRange, commitId, ...given }: ImportedPosition): NotePosition | undefined {
  if (place === undefined) return undefined;
  try {
    return toPosition({ ...place, ...given, lineRange }, commitId || undefined);
  } catch (error) {
    if (isAppError(error, 'bad_request') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Field by field: V8 keeps an object that is copied in part, or copied and given further fields, in four times the memory. */
function toImportedNote(note: NoteMessage): ImportedNote {
  const { createdAt = new Date(0), updatedAt = createdAt, position, originalPosition } = note;
  return {
    key: note.key,
    noteable: note.noteableType as ImportedNoteable,
    noteableIid: note.noteableIid,
    thread: note.thread,
    startsThread: note.startsThread || position !== undefined,
    authorId: note.authorId,
    body: note.body,
    system: note.system,
    action: note.action || undefined,
    internal: note.internal,
    resolvedById: note.resolvedById || undefined,
    resolvedAt: note.resolvedAt,
    place: note.place,
    position: position && positionOf(position),
    originalPosition: originalPosition && positionOf(originalPosition),
    createdAt,
    updatedAt,
  };
}

/** Serves `NoteImportService`. */
export const noteImportHandler = (importNotes: ImportNotes): ServiceImplementation =>
  implement(
    NoteImportServiceService,
    {
      importNotes: async ({ projectId, importedFrom, notes, knownBefore }) => ({
        imported: await importNotes(
          { projectId, importedFrom },
          notes
            .slice(0, maxItems)
            .filter(({ noteableType }) => kinds.includes(noteableType))
            .map(toImportedNote),
          knownBefore,
        ),
      }),
    },
    { importNotes: { callers: ['imports-exports'] } },
  );
