import type { SqlExecutor, Tx } from '@switchyard/database';
import type { issueReferences } from '../../issues';
import type { NoteableKey, noteableStore } from '../../noteables';
import { type EpicNoteFact, epicSystemNotes, type FamilyChange, familyNotes } from '../domain/epic-system-note';
import type { FieldChange, SystemNoteCause } from '../domain/system-note';
import type { SystemNotes } from './note.ports';

/** How notes name labels and epics. */
interface EpicNoteNames {
  labels(tx: SqlExecutor, ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  epics(tx: SqlExecutor, ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** What the notes of epics are written with. */
interface EpicNoteEdges {
  readonly noteables: typeof noteableStore;
  readonly notes: SystemNotes;
  readonly names: EpicNoteNames;
  readonly references: typeof issueReferences;
}

/** Something that happened to an epic, as its notes depend on it. */
export interface EpicNoteInput {
  readonly epicId: number;
  readonly actorId: number;
  /** `created`: below another epic. `deleted`: its notes go with it. */
  readonly fact: EpicNoteFact | { readonly kind: 'created'; readonly parentId: number } | { readonly kind: 'deleted' };
  readonly cause: SystemNoteCause;
}

const keyOf = (epicId: number): NoteableKey => ({ kind: 'Epic', projectId: 0, targetId: epicId, sha: '' });

const idOf = (written: string): number | undefined => (written === '' ? undefined : Number(written));

/** What stood above something before and after an edit; undefined where that has not changed. */
function movedAbove(
  changes: readonly FieldChange[],
  field: 'parent_id' | 'epic_id',
): Pick<FamilyChange, 'before' | 'after'> | undefined {
  const change = changes.find((one) => one.field === field);
  return change && { before: idOf(change.old), after: idOf(change.new) };
}

/** What is opened below an epic, as an edit that puts it there. */
export const placedBelow = (field: 'parent_id' | 'epic_id', id: number): FieldChange[] => [
  { field, old: '', new: String(id) },
];

/** What came below an epic or went, by an edit. */
export interface FamilyInput {
  readonly child: { readonly kind: 'Epic' | 'Issue'; readonly id: number; readonly projectId: number };
  readonly changes: readonly FieldChange[];
  readonly actorId: number;
  readonly cause: SystemNoteCause;
}

/** Writes the notes on epics whose issues and child epics come and go, and on these, in the caller's transaction. */
export const writeFamilyNotes =
  ({ notes, names, references }: Pick<EpicNoteEdges, 'notes' | 'names' | 'references'>) =>
  async (tx: Tx, { child, changes, actorId, cause }: FamilyInput): Promise<void> => {
    const moved = movedAbove(changes, child.kind === 'Epic' ? 'parent_id' : 'epic_id');
    if (moved === undefined) return;
    const ids = [moved.before, moved.after, child.kind === 'Epic' ? child.id : undefined];
    const epics = await names.epics(
      tx,
      ids.flatMap((id) => id ?? []),
    );
    const childReference =
      child.kind === 'Epic' ? epics.get(child.id) : (await references.byId(tx, child.id))?.reference;
    if (childReference === undefined) return;
    const said = familyNotes(actorId, { child, ...moved, childReference, epicReference: (id) => epics.get(id) });
    for (const { on, note } of said) {
      // One that is gone has no name and takes no note.
      if (on.kind === 'Epic' && !epics.has(on.id)) continue;
      const key =
        on.kind === 'Epic' ? keyOf(on.id) : { kind: on.kind, projectId: child.projectId, targetId: on.id, sha: '' };
      await notes.write(tx, key, [note], cause);
    }
  };

/** Writes the system notes that follow from an event of an epic, within the transaction that handles it. */
export const writeEpicSystemNotes =
  ({ noteables, ...edges }: EpicNoteEdges) =>
  async (tx: Tx, { epicId, actorId, fact, cause }: EpicNoteInput): Promise<void> => {
    if (fact.kind === 'deleted') {
      await noteables.remove(tx, keyOf(epicId));
      return;
    }
    const child = { kind: 'Epic', id: epicId, projectId: 0 } as const;
    if (fact.kind === 'created') {
      await writeFamilyNotes(edges)(tx, { child, changes: placedBelow('parent_id', fact.parentId), actorId, cause });
      return;
    }
    const labels =
      fact.kind === 'updated'
        ? await edges.names.labels(tx, [...fact.addedLabelIds, ...fact.removedLabelIds])
        : new Map<number, string>();
    const epics = 'otherId' in fact ? await edges.names.epics(tx, [fact.otherId]) : new Map<number, string>();
    await edges.notes.write(
      tx,
      keyOf(epicId),
      epicSystemNotes(
        actorId,
        fact,
        (id) => labels.get(id),
        (id) => epics.get(id),
      ),
      cause,
    );
    if (fact.kind !== 'updated') return;
    await writeFamilyNotes(edges)(tx, { child, changes: fact.changes, actorId, cause });
  };
