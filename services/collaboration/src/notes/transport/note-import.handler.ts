import { isAppError } from '@switchyard/errors';
import { type ImportedPosition, NoteImportServiceService } from '@switchyard/protos/collaboration/v1/note_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ImportNotes } from '../application/import-notes';
import type { ImportedNoteable } from '../domain/imported-note';
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
            .map(
              ({
                noteableType,
                position,
                originalPosition,
                createdAt = new Date(0),
                updatedAt = createdAt,
                ...note
              }) => ({
                ...note,
                noteable: noteableType as ImportedNoteable,
                action: note.action || undefined,
                startsThread: note.startsThread || position !== undefined,
                resolvedById: note.resolvedById || undefined,
                resolvedAt: note.resolvedAt,
                place: note.place,
                position: position && positionOf(position),
                originalPosition: originalPosition && positionOf(originalPosition),
                createdAt,
                updatedAt,
              }),
            ),
          knownBefore,
        ),
      }),
    },
    { importNotes: { callers: ['imports-exports'] } },
  );
