import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Noteable, NoteableRef, Reader } from '../../noteables';
import { checkBody, checkMayComment } from '../domain/note';
import { decideNewDiscussion } from '../domain/note-change';
import type { NotePosition } from '../domain/note-position';
import type { NoteRow } from '../domain/note-row';
import type { DiffPositions } from './diff-positions';
import type { Noteables } from './find-noteable';
import { type FoundNote, listNotes, writerOf } from './list-notes';
import type { NoteList } from './note.ports';
import { type TextWriting, type WrittenText, writeText } from './write-text';

type CommitRef = Extract<NoteableRef, { kind: 'Commit' }>;

/** A comment as the commits API requests it. */
export interface NewCommitCommentRequest {
  readonly body: string;
  /** Empty: the commit as a whole. */
  readonly path: string;
  /** 0: none. */
  readonly line: number;
  readonly side: 'new' | 'old';
}

/** Comments on a commit, oldest first. */
export const listCommitComments =
  (edges: { readonly find: Noteables; readonly notes: NoteList }) =>
  (
    reader: Reader,
    ref: CommitRef,
    request: PageRequest,
  ): Promise<{ noteable: Noteable; rows: NoteRow[]; page: PageInfo }> =>
    listNotes(edges)(reader, ref, 'only_comments', { ...request, orderBy: 'created_at', sort: 'asc' });

/**
 * Comments on a commit; a line that its diff does not have makes a comment on the commit as a whole. Fails with
 * `not_found`, `bad_request`.
 */
export const createCommitComment =
  ({ find, positions, ...writing }: TextWriting & { readonly find: Noteables; readonly positions: DiffPositions }) =>
  async (
    reader: Reader,
    ref: CommitRef,
    { body, path, line, side }: NewCommitCommentRequest,
  ): Promise<WrittenText<FoundNote>> => {
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    checkMayComment(writer, noteable, false);
    checkBody(body);
    const position: NotePosition = {
      baseSha: noteable.parentSha ?? '',
      startSha: noteable.parentSha ?? '',
      headSha: noteable.sha,
      positionType: 'text',
      oldPath: path,
      newPath: path,
      ...(side === 'old' ? { oldLine: line } : { newLine: line }),
    };
    const found = path !== '' && line > 0 && (await positions.check(noteable.projectId, position));
    return writeText(writing, reader, noteable, body, {
      decide: (text) =>
        decideNewDiscussion(noteable, {
          type: found ? 'DiffNote' : undefined,
          authorId: writer.userId,
          body: text,
          internal: false,
          position: found ? position : undefined,
          at: writing.clock(),
        }),
    });
  };
