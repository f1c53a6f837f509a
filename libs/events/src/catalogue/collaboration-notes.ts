import { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import { defineEvent } from '../event';

/** What happened to notes, discussions and reactions, in order per noteable (see the proto for the facts and the ids of events). */
export const noteEvents = defineEvent({
  stream: 'collaboration.note',
  version: 1,
  type: 'note.changed',
  message: NoteEvent,
  key: ({ noteable }) => `${noteable?.kind}:${noteable?.projectId}:${noteable?.id || noteable?.sha}`,
});

/** Names of the facts of `noteEvents`. */
type NoteFact = NonNullable<NoteEvent['fact']>['$case'];

/**
 * Id of an event of `noteEvents`: the same happening always gives the same id.
 * @param noteableRow row of the noteable
 * @param version of the noteable after the change
 */
export const noteEventId = (fact: NoteFact, noteableRow: number, version: number): string =>
  `note.${fact}:${noteableRow}:${version}`;
