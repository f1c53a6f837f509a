import type { Tx } from '@switchyard/database';
import type { issueReferences } from '../../issues';
import type { NoteableKey, noteableStore } from '../../noteables';
import { type IssueNoteFact, issueSystemNotes } from '../domain/issue-system-note';
import type { SystemNoteCause } from '../domain/system-note';
import type { SystemNotes } from './note.ports';
import { placedBelow, type writeFamilyNotes } from './write-epic-system-notes';

/** Something that happened to an issue, as its notes depend on it. */
export interface IssueNoteInput {
  readonly issueId: number;
  readonly projectId: number;
  readonly actorId: number;
  /**
   * `created`: as part of an epic, or in the place of another issue; 0: none. `moved`: another issue takes its place.
   * `deleted`: its notes go with it.
   */
  readonly fact:
    | Exclude<IssueNoteFact, { kind: 'moved' }>
    | { readonly kind: 'created'; readonly movedFromId: number; readonly epicId: number }
    | { readonly kind: 'moved'; readonly toId: number }
    | { readonly kind: 'deleted' };
  readonly cause: SystemNoteCause;
}

/** Writes the system notes that follow from an event of an issue, within the transaction that handles it. */
export const writeIssueSystemNotes =
  ({
    noteables,
    notes,
    references,
    families,
  }: {
    noteables: typeof noteableStore;
    notes: SystemNotes;
    references: typeof issueReferences;
    families: ReturnType<typeof writeFamilyNotes>;
  }) =>
  async (tx: Tx, { issueId, projectId, actorId, fact, cause }: IssueNoteInput): Promise<void> => {
    const key: NoteableKey = { kind: 'Issue', projectId, targetId: issueId, sha: '' };
    if (fact.kind === 'deleted') {
      await noteables.remove(tx, key);
      return;
    }
    const child = { kind: 'Issue', id: issueId, projectId } as const;
    if (fact.kind === 'updated') {
      await notes.write(tx, key, issueSystemNotes(actorId, fact), cause);
      await families(tx, { child, changes: fact.changes, actorId, cause });
      return;
    }
    const [direction, otherId] =
      fact.kind === 'moved' ? (['to', fact.toId] as const) : (['from', fact.movedFromId] as const);
    const other = otherId === 0 ? undefined : await references.byId(tx, otherId);
    if (other !== undefined) {
      await notes.write(tx, key, issueSystemNotes(actorId, { kind: 'moved', direction, other }), cause);
    }
    if (fact.kind === 'created' && fact.epicId > 0) {
      await families(tx, { child, changes: placedBelow('epic_id', fact.epicId), actorId, cause });
    }
  };
