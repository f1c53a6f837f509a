import type { Tx } from '@switchyard/database';
import type { NoteableKey, noteableStore } from '../../noteables';
import { type MergeRequestNoteFact, systemNotesOf } from '../domain/merge-request-system-note';
import type { SystemNoteCause } from '../domain/system-note';
import type { DiffNoteMoves } from './diff-note.ports';
import type { SystemNotes } from './note.ports';

/** Something that happened to a merge request, as its notes depend on it. */
export interface MergeRequestNoteInput {
  readonly mergeRequestId: number;
  readonly projectId: number;
  /** 0 when no user caused it. */
  readonly actorId: number;
  /** `deleted`: its notes go with it; `pushed`: its diff notes move to the new version. */
  readonly fact: MergeRequestNoteFact | { readonly kind: 'deleted' };
  readonly cause: SystemNoteCause;
}

/** Writes the system notes that follow from an event of a merge request, within the transaction that handles it. */
export const writeMergeRequestSystemNotes =
  ({ noteables, notes, moves }: { noteables: typeof noteableStore; notes: SystemNotes; moves: DiffNoteMoves }) =>
  async (tx: Tx, { mergeRequestId, projectId, actorId, fact, cause }: MergeRequestNoteInput): Promise<void> => {
    const key: NoteableKey = { kind: 'MergeRequest', projectId, targetId: mergeRequestId, sha: '' };
    if (fact.kind === 'deleted') return noteables.remove(tx, key);
    const retargeted = fact.kind === 'updated' && fact.changedFields.includes('target_branch');
    if (fact.kind === 'pushed' || retargeted) await moves.request(tx, key);
    await notes.write(tx, key, systemNotesOf(actorId, fact), cause);
  };
