import type { Tx } from '@switchyard/database';
import { type NotedFact, systemNotesOf } from '../domain/merge-request-system-note';
import type { NoteableKey } from '../domain/noteable';
import type { noteableStore } from '../storage/noteable.store';
import type { SystemNoteCause, systemNotes } from '../storage/system-note.store';

/** Something that happened to a merge request, as its notes depend on it. */
export interface NotedHappening {
  readonly mergeRequestId: number;
  readonly projectId: number;
  /** 0 when nobody caused it. */
  readonly actorId: number;
  /** `deleted`: its notes go with it. */
  readonly fact: NotedFact | { readonly kind: 'deleted' };
  readonly cause: SystemNoteCause;
}

/** Writes system notes as merge requests go their way, within the transaction that takes note of the event. */
export const noteMergeRequests =
  ({ noteables, notes }: { noteables: typeof noteableStore; notes: typeof systemNotes }) =>
  async (tx: Tx, { mergeRequestId, projectId, actorId, fact, cause }: NotedHappening): Promise<void> => {
    const key: NoteableKey = { kind: 'MergeRequest', projectId, targetId: mergeRequestId, sha: '' };
    if (fact.kind === 'deleted') await noteables.remove(tx, key);
    else await notes.write(tx, key, systemNotesOf(actorId, fact), cause);
  };
