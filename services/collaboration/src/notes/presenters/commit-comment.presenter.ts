import { userReference } from '@switchyard/directory';
import type { NoteRow } from '../domain/note-row';

/** A comment in the form of the commits API (G-4.6). */
export const presentCommitComment = (note: NoteRow, externalUrl: string) => {
  const { position } = note;
  const line = position?.newLine ?? position?.oldLine;
  return {
    note: note.body,
    path: position?.newPath ?? null,
    line: line ?? null,
    line_type: line === undefined ? null : position?.newLine === undefined ? 'old' : 'new',
    author: note.author && userReference(note.author, externalUrl),
    created_at: note.createdAt,
  };
};
