import type { PageInfo, PageRequest } from '@switchyard/database';
import { type Noteable, type NoteableRef, type Reader, seesInternal } from '../../noteables';
import { type NoteActivityFilter, requireSeen, type Writer } from '../domain/note';
import type { NoteRow } from '../domain/note-row';
import type { Noteables } from './find-noteable';
import type { NoteList } from './note.ports';

/** The caller, and their access to the project. */
export const writerOf = ({ actor, access }: Reader): Writer => ({
  userId: actor.userId,
  admin: actor.admin,
  level: access?.level ?? 0,
});

/** A note and its noteable. */
export interface FoundNote {
  readonly noteable: Noteable;
  readonly note: NoteRow;
}

/** One page of the notes of a noteable: one call to its owner, one statement and one count, whatever the length. */
export const listNotes =
  ({ find, notes }: { find: Noteables; notes: NoteList }) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    filter: NoteActivityFilter,
    request: PageRequest,
  ): Promise<{ noteable: Noteable; rows: NoteRow[]; page: PageInfo }> => {
    const noteable = await find(ref, reader);
    const wanted = { filter, internal: seesInternal(writerOf(reader)), viewer: reader.actor };
    return { noteable, ...(await notes.page(noteable, wanted, request)) };
  };

/** A note of a noteable. Fails like `requireSeen`. */
export async function visibleNote(
  { notes }: { notes: NoteList },
  reader: Reader,
  noteable: Noteable,
  id: number,
): Promise<NoteRow> {
  return requireSeen(writerOf(reader), await notes.find(noteable, id, reader.actor));
}

/** One note of a noteable by id. Fails like `visibleNote`. */
export const getNote =
  ({ find, notes }: { find: Noteables; notes: NoteList }) =>
  async (reader: Reader, ref: NoteableRef, id: number): Promise<FoundNote> => {
    const noteable = await find(ref, reader);
    return { noteable, note: await visibleNote({ notes }, reader, noteable, id) };
  };
