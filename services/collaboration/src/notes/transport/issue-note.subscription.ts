import { afterDirectory, type Directory } from '@switchyard/directory';
import { type AnySubscription, faultPoint, issueEvents, subscription } from '@switchyard/events';
import type { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import type { IssueNoteInput, writeIssueSystemNotes } from '../application/write-issue-system-notes';

/** The fact of an event that gets system notes; undefined where there are none, as of imported history. */
function notedFact({ fact, imported }: IssueEvent): IssueNoteInput['fact'] | undefined {
  if (imported && fact?.$case !== 'deleted') return undefined;
  switch (fact?.$case) {
    case 'updated':
      return { kind: 'updated', ...fact.value };
    case 'created':
      return fact.value.movedFromId > 0 || fact.value.epicId > 0 ? { kind: 'created', ...fact.value } : undefined;
    case 'moved':
      return { kind: 'moved', toId: fact.value.toIssueId };
    case 'deleted':
      return { kind: 'deleted' };
    default:
      return undefined;
  }
}

/** Issues get system notes, each once; the notes of a deleted issue go. */
export const issueNoteSubscription = (
  write: ReturnType<typeof writeIssueSystemNotes>,
  directory: Pick<Directory, 'ensure'>,
): AnySubscription =>
  subscription({
    event: issueEvents,
    concerns: (event) => notedFact(event) !== undefined,
    before: afterDirectory(directory),
    async handle(event, tx, { id, time }) {
      const { issue, actorId } = event;
      const fact = notedFact(event);
      if (issue !== undefined && fact !== undefined) {
        const cause = { id, occurredAt: event.occurredAt ?? time };
        await write(tx, { issueId: issue.id, projectId: issue.projectId, actorId, fact, cause });
      }
      faultPoint('system_note.written');
      tx.afterCommit(() => faultPoint('system_note.committed'));
    },
  });
