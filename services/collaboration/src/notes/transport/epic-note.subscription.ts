import { afterDirectory, type Directory } from '@switchyard/directory';
import { type AnySubscription, epicEvents, faultPoint, subscription } from '@switchyard/events';
import type { EpicEvent } from '@switchyard/protos/collaboration/events/v1/epic_event';
import type { EpicNoteInput, writeEpicSystemNotes } from '../application/write-epic-system-notes';

/** The fact of an event that gets system notes; undefined where there are none. */
function notedFact({ fact }: EpicEvent): EpicNoteInput['fact'] | undefined {
  switch (fact?.$case) {
    case 'updated':
      return { kind: 'updated', ...fact.value };
    case 'created':
      return fact.value.parentId > 0 ? { kind: 'created', parentId: fact.value.parentId } : undefined;
    case 'linked':
    case 'unlinked': {
      const { link } = fact.value;
      return link && { kind: fact.$case, linkType: link.linkType, otherId: link.otherId };
    }
    case 'closed':
    case 'reopened':
    case 'deleted':
      return { kind: fact.$case };
    default:
      return undefined;
  }
}

/** Epics get system notes, each once; the notes of a deleted epic go. */
export const epicNoteSubscription = (
  write: ReturnType<typeof writeEpicSystemNotes>,
  directory: Pick<Directory, 'ensure'>,
): AnySubscription =>
  subscription({
    event: epicEvents,
    before: afterDirectory(directory),
    async handle(event, tx, { id, time }) {
      const { epic, actorId } = event;
      const fact = notedFact(event);
      if (epic !== undefined && fact !== undefined && (!event.imported || fact.kind === 'deleted')) {
        const cause = { id, occurredAt: event.occurredAt ?? time };
        await write(tx, { epicId: epic.id, actorId, fact, cause });
      }
      faultPoint('system_note.written');
      tx.afterCommit(() => faultPoint('system_note.committed'));
    },
  });
