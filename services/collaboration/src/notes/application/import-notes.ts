import { notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { ImportKey } from '../../issues';
import { type ForgePlace, type ImportedNote, isImportable, positionAt } from '../domain/imported-note';
import type { NotePosition } from '../domain/note-position';

faultPoints.push('note_import.added');

/** Imported merge requests, as their owner knows them. */
export interface ImportedMergeRequests {
  /** Ids by number, and positions of places in their order; undefined where there is nothing to compare. */
  locate(
    key: ImportKey,
    iids: readonly number[],
    places: readonly (ForgePlace & { readonly iid: number })[],
  ): Promise<{
    readonly ids: ReadonlyMap<number, number>;
    readonly positions: readonly (Parameters<typeof positionAt>[0] | undefined)[];
  }>;
}

/** Imported notes in the database. */
export interface NoteImportStore {
  /**
   * Adds notes, each once, to imported issues and to merge requests of these ids by number; returns how many of them
   * there are now. Of a refresh those that are there get the text of the forge where they still have what an import
   * wrote, and those that were made before `knownBefore` and are not there stay away.
   */
  add(
    key: ImportKey,
    notes: readonly ImportedNote[],
    mergeRequests: ReadonlyMap<number, number>,
    knownBefore?: Date,
  ): Promise<number>;
}

/** What imports need. */
export interface NoteImportEdges {
  readonly projectExists: (projectId: number) => Promise<boolean>;
  readonly mergeRequests: ImportedMergeRequests;
  readonly imports: NoteImportStore;
}

/** Notes that come in from elsewhere; see NoteImportService. */
export const importNotes =
  ({ projectExists, mergeRequests, imports }: NoteImportEdges) =>
  async (key: ImportKey, given: readonly ImportedNote[], knownBefore?: Date): Promise<number> => {
    if (!(await projectExists(key.projectId))) throw notFound('Project');
    const wanted = given.filter(isImportable);
    const onMergeRequests = wanted.filter(({ noteable }) => noteable === 'MergeRequest');
    const placed = onMergeRequests.flatMap(({ key: name, noteableIid: iid, place }) =>
      place === undefined ? [] : [{ name, place: { ...place, iid } }],
    );
    const { ids, positions } =
      onMergeRequests.length === 0
        ? { ids: new Map<number, number>(), positions: [] }
        : await mergeRequests.locate(
            key,
            [...new Set(onMergeRequests.map(({ noteableIid }) => noteableIid))],
            placed.map(({ place }) => place),
          );
    const positionOf = new Map(
      placed.map(({ name }, at): [string, NotePosition | undefined] => {
        const found = positions[at];
        return [name, found && positionAt(found)];
      }),
    );
    const added = await imports.add(
      key,
      wanted.map((note) => ({
        ...note,
        // A comment on a line of which nothing is known any more is one of a thread still.
        startsThread: note.startsThread || note.place !== undefined,
        position: note.position ?? positionOf.get(note.key),
        resolvedById: note.resolvedAt && (note.resolvedById ?? note.authorId),
      })),
      ids,
      knownBefore,
    );
    faultPoint('note_import.added');
    return added;
  };

/** What `importNotes` gives. */
export type ImportNotes = ReturnType<typeof importNotes>;
