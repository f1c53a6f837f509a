import type { Noteable } from '../../noteables';
import type { DiscussionRow } from '../domain/note-row';
import { presentNote } from './note.presenter';

/** The public discussion (api.md section 2). */
export const presentDiscussion = ({ id, notes }: DiscussionRow, noteable: Noteable, externalUrl: string) => ({
  id,
  individual_note: notes[0].type === undefined,
  notes: notes.map((note) => presentNote(note, noteable, externalUrl)),
});
