import { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import { defineEvent } from '../event';
import { factEventId } from './fact-event';

/**
 * Changes of notes, discussions and reactions, in order per noteable (see the proto for the facts and the ids of
 * events).
 */
export const noteEvents = defineEvent({
  stream: 'collaboration.note',
  version: 1,
  type: 'note.changed',
  message: NoteEvent,
  key: ({ noteable }) => `${noteable?.kind}:${noteable?.projectId}:${noteable?.id || noteable?.sha}`,
});

/** Id of an event of `noteEvents`; `id` is the row of the noteable, the cause its version after the change. */
export const noteEventId = factEventId<NoteEvent>('note');
