import type { Tx } from '@switchyard/database';
import { issueSystemNotes, type NotedIssueFact } from '../domain/issue-system-note';
import type { NoteableKey } from '../domain/noteable';
import type { noteableStore } from '../storage/noteable.store';
import type { SystemNoteCause, systemNotes } from '../storage/system-note.store';

/** Something that happened to an issue, as its notes depend on it. */
export interface NotedIssueHappening {
  readonly issueId: number;
  readonly projectId: number;
  readonly actorId: number;
  /** `deleted`: its notes go with it. */
  readonly fact: NotedIssueFact | { readonly kind: 'deleted' };
  readonly cause: SystemNoteCause;
}

/** Writes system notes as issues go their way, within the transaction that takes note of the event. */
export const noteIssues =
  ({ noteables, notes }: { noteables: typeof noteableStore; notes: typeof systemNotes }) =>
  async (tx: Tx, { issueId, projectId, actorId, fact, cause }: NotedIssueHappening): Promise<void> => {
    const key: NoteableKey = { kind: 'Issue', projectId, targetId: issueId, sha: '' };
    if (fact.kind === 'deleted') await noteables.remove(tx, key);
    else await notes.write(tx, key, issueSystemNotes(actorId, fact), cause);
  };
