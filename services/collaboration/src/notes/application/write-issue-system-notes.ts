import type { Tx } from '@switchyard/database';
import type { issueReferences } from '../../issues';
import type { NoteableKey, noteableStore } from '../../noteables';
import { type IssueNoteFact, issueSystemNotes } from '../domain/issue-system-note';
import type { SystemNoteCause } from '../domain/system-note';
import type { SystemNotes } from './note.ports';
import type { writeFamilyNotes } from './write-epic-system-notes';

/** Something that happened to an issue, as its notes depend on it. */
export interface IssueNoteInput {
  readonly issueId: number;
  readonly projectId: number;
  readonly actorId: number;
  /** `moved`: the id of the issue on the other side. `deleted`: its notes go with it. */
  readonly fact:
    | Exclude<IssueNoteFact, { kind: 'moved' }>
    | { readonly kind: 'moved'; readonly direction: 'to' | 'from'; readonly otherId: number }
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
    let noted: IssueNoteFact;
    if (fact.kind === 'moved') {
      const other = await references.byId(tx, fact.otherId);
      if (other === undefined) return;
      noted = { kind: 'moved', direction: fact.direction, other };
    } else noted = fact;
    await notes.write(tx, key, issueSystemNotes(actorId, noted), cause);
    if (noted.kind !== 'updated') return;
    await families(tx, { child: { kind: 'Issue', id: issueId, projectId }, changes: noted.changes, actorId, cause });
  };
