import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Noteable, NoteableRef, Reader } from '../../noteables';
import { checkBody, checkMayComment } from '../domain/note';
import { noteSubject } from '../domain/note-fact';
import type { NotePosition } from '../domain/note-position';
import type { NoteRow } from '../domain/note-row';
import type { DiscussionEdges, Said } from './discuss';
import { type FoundNote, listNotes, writerOf } from './list-notes';
import { carryOut, mentionsOf } from './write-notes';

type CommitRef = Extract<NoteableRef, { kind: 'Commit' }>;

/** A comment as the commits API asks for it. */
export interface CommitCommentWish {
  readonly body: string;
  /** Empty: the commit as a whole. */
  readonly path: string;
  /** 0: none. */
  readonly line: number;
  readonly side: 'new' | 'old';
}

/** Comments on a commit, oldest first. */
export const listCommitComments =
  (edges: DiscussionEdges) =>
  (
    reader: Reader,
    ref: CommitRef,
    request: PageRequest,
  ): Promise<{ noteable: Noteable; rows: NoteRow[]; page: PageInfo }> =>
    listNotes(edges)(reader, ref, 'only_comments', { ...request, orderBy: 'created_at', sort: 'asc' });

/** Comments on a commit; a line that its diff does not have makes a comment on the commit as a whole. Fails with `not_found`, `bad_request`. */
export const createCommitComment =
  ({ find, notes, store, change, places, runCommands, clock }: DiscussionEdges) =>
  async (reader: Reader, ref: CommitRef, { body, path, line, side }: CommitCommentWish): Promise<Said<FoundNote>> => {
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    checkMayComment(writer, noteable, false);
    checkBody(body);
    const wanted: NotePosition = {
      baseSha: noteable.parentSha ?? '',
      startSha: noteable.parentSha ?? '',
      headSha: noteable.sha,
      positionType: 'text',
      oldPath: path,
      newPath: path,
      ...(side === 'old' ? { oldLine: line } : { newLine: line }),
    };
    const found = path !== '' && line > 0 && (await places.check(noteable.projectId, wanted));
    const began = clock();
    const { text, outcome, commandsOnly } = await carryOut(runCommands, reader, noteable, body);
    if (commandsOnly) return { kind: 'commands', commands: outcome };
    const note = await change(noteable, writer.userId, async (tx, row) => {
      const id = await store.insert(tx, {
        noteableId: row,
        projectId: noteable.projectId,
        discussionId: undefined,
        type: found ? 'DiffNote' : undefined,
        authorId: writer.userId,
        body: text,
        internal: false,
        position: found ? wanted : undefined,
        resolvedById: undefined,
        at: clock(),
      });
      const written = await notes.find(noteable, id, tx);
      if (written === undefined) throw new Error('a comment that has just been written is not there');
      return {
        result: written,
        counters: { userNotesCount: 1 },
        occurredAt: began,
        fact: { $case: 'created', value: { note: noteSubject(written), mentions: mentionsOf(text) } },
      };
    });
    return { kind: 'written', noteable, note, commands: outcome };
  };
