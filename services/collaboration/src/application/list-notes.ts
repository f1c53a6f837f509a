import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { type ActivityFilter, reporter } from '../domain/note';
import type { Noteable, NoteableRef } from '../domain/noteable';
import type { NoteList, NoteRow } from '../storage/note.list';
import type { Noteables, Reader } from './noteables';

/** Level of the reader in the project of the signed access. */
export const levelOf = ({ access }: Reader): number => access?.level ?? 0;

/** Whether the reader sees internal notes (G-4.6-9). */
export const seesInternal = (reader: Reader): boolean => levelOf(reader) >= reporter;

/** One page of the notes of a noteable: one call to its owner, one statement and one count, whatever the length. */
export const listNotes =
  ({ find, notes }: { find: Noteables; notes: NoteList }) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    filter: ActivityFilter,
    request: PageRequest,
  ): Promise<{ noteable: Noteable; rows: NoteRow[]; page: PageInfo }> => {
    const noteable = await find(ref, reader);
    return { noteable, ...(await notes.page(noteable, { filter, internal: seesInternal(reader) }, request)) };
  };

/** One note of a noteable. Fails with `not_found`: `404 Not found` for none, `404 Note Not Found` for one the reader may not see. */
export const getNote =
  ({ find, notes }: { find: Noteables; notes: NoteList }) =>
  async (reader: Reader, ref: NoteableRef, id: number): Promise<{ noteable: Noteable; note: NoteRow }> => {
    const noteable = await find(ref, reader);
    const note = await notes.find(noteable, id);
    if (note === undefined) throw notFound();
    if (note.internal && !seesInternal(reader)) throw notFound('Note');
    return { noteable, note };
  };
