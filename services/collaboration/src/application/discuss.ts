import type { PageInfo, PageRequest } from '@switchyard/database';
import { badRequest, forbidden, notFound } from '@switchyard/errors';
import { checkBody, checkMayComment, checkMayResolve, checkMaySee, momentOf, seesInternal } from '../domain/note';
import { noSuchPlace, positionOf, type WantedPosition } from '../domain/note-position';
import { type Noteable, type NoteableRef, noteableRules } from '../domain/noteable';
import type { DiscussionList, DiscussionRow } from '../storage/discussion.list';
import { noteSubject } from '../storage/note.events';
import type { NoteList } from '../storage/note.list';
import { noteStore } from '../storage/note.store';
import type { ChangeNoteable } from './change-noteable';
import type { DiffPlaces } from './diff-places';
import { type FoundNote, writerOf } from './list-notes';
import type { Noteables, Reader } from './noteables';
import { mentionsOf, unresolvedChange } from './write-notes';

/** What discussions need. */
export interface DiscussionEdges {
  readonly find: Noteables;
  readonly notes: NoteList;
  readonly discussions: DiscussionList;
  readonly change: ChangeNoteable;
  readonly places: DiffPlaces;
  readonly clock: () => Date;
}

/** A discussion and what carries it. */
export interface FoundDiscussion {
  readonly noteable: Noteable;
  readonly discussion: DiscussionRow;
}

/** Names a note of a discussion. */
export interface DiscussionNoteRef {
  readonly noteable: NoteableRef;
  readonly discussionId: string;
  readonly noteId: number;
}

/** One page of the discussions of a noteable, oldest first: one call to its owner and two statements, whatever the length. */
export const listDiscussions =
  ({ find, discussions }: DiscussionEdges) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    request: PageRequest,
  ): Promise<{ noteable: Noteable; rows: DiscussionRow[]; page: PageInfo }> => {
    const noteable = await find(ref, reader);
    const internal = seesInternal(writerOf(reader));
    return { noteable, ...(await discussions.page(noteable, { internal, viewer: reader.actor }, request)) };
  };

async function visibleDiscussion(
  { discussions }: DiscussionEdges,
  reader: Reader,
  noteable: Noteable,
  discussionId: string,
): Promise<DiscussionRow> {
  const discussion = await discussions.find(noteable, discussionId, undefined, reader.actor);
  if (discussion === undefined) throw notFound('Discussion');
  if (discussion.notes[0].internal && !seesInternal(writerOf(reader))) throw notFound('Discussion');
  return discussion;
}

/** One discussion. Fails with `not_found`. */
export const getDiscussion =
  (edges: DiscussionEdges) =>
  async (reader: Reader, ref: NoteableRef, discussionId: string): Promise<FoundDiscussion> => {
    const noteable = await edges.find(ref, reader);
    return { noteable, discussion: await visibleDiscussion(edges, reader, noteable, discussionId) };
  };

/** A thread as somebody wants it. */
export interface DiscussionWish {
  readonly body: string;
  readonly internal: boolean;
  readonly createdAt: Date | undefined;
  /** Place in the diff; undefined for a thread without one. */
  readonly position: WantedPosition | undefined;
}

/** Starts a thread (G-4.7-3). Fails with `not_found`, `forbidden`, `bad_request`. */
export const createDiscussion =
  ({ find, discussions, notes, change, places, clock }: DiscussionEdges) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    { body, internal, createdAt, position: wanted }: DiscussionWish,
  ): Promise<FoundDiscussion> => {
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    checkMayComment(writer, noteable, internal);
    checkBody(body);
    const at = momentOf(writer, createdAt, clock());
    const position = wanted && noteableRules[noteable.kind].diffs ? positionOf(wanted) : undefined;
    if (position !== undefined && !(await places.check(noteable.projectId, position))) throw noSuchPlace();
    const type = position === undefined ? 'DiscussionNote' : 'DiffNote';
    const discussion = await change(noteable, writer.userId, async (tx, row) => {
      const id = await noteStore.insert(tx, {
        noteableId: row,
        projectId: noteable.projectId,
        discussionId: undefined,
        type,
        authorId: writer.userId,
        body,
        internal,
        position,
        at,
      });
      const note = await notes.find(noteable, id, tx);
      const made = note && (await discussions.find(noteable, note.discussionId, tx));
      if (note === undefined || made === undefined) throw new Error('a thread that has just been started is not there');
      return {
        result: made,
        counters: { userNotesCount: 1, unresolvedCount: unresolvedChange(noteable, 0, 1) },
        fact: { $case: 'created', value: { note: noteSubject(note), mentions: mentionsOf(body) } },
      };
    });
    return { noteable, discussion };
  };

/** Replies (G-4.7-5); a comment becomes a thread by it (G-4.7-10). Fails with `not_found`, `forbidden`, `bad_request`. */
export const replyToDiscussion =
  (edges: DiscussionEdges) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    discussionId: string,
    { body, createdAt }: Pick<DiscussionWish, 'body' | 'createdAt'>,
  ): Promise<FoundNote> => {
    const { find, notes, change, clock } = edges;
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    await visibleDiscussion(edges, reader, noteable, discussionId);
    checkMayComment(writer, noteable, false);
    checkBody(body);
    const at = momentOf(writer, createdAt, clock());
    const note = await change(noteable, writer.userId, async (tx, row) => {
      const before = await noteStore.discussion(tx, row, discussionId);
      if (before === undefined) throw notFound('Discussion');
      if (before.system) throw badRequest('Discussion can not be replied to.');
      if (before.type === undefined) await noteStore.makeThread(tx, row, discussionId);
      const id = await noteStore.insert(tx, {
        noteableId: row,
        projectId: noteable.projectId,
        discussionId,
        type: before.type ?? 'DiscussionNote',
        authorId: writer.userId,
        body,
        internal: before.internal,
        position: before.position,
        at,
      });
      const written = await notes.find(noteable, id, tx);
      if (written === undefined) throw new Error('a reply that has just been written is not there');
      return {
        result: written,
        counters: { userNotesCount: 1, unresolvedCount: unresolvedChange(noteable, before.unresolved, 1) },
        fact: { $case: 'created', value: { note: noteSubject(written), mentions: mentionsOf(body) } },
      };
    });
    return { noteable, note };
  };

async function settle(
  { change }: DiscussionEdges,
  reader: Reader,
  noteable: Noteable,
  { discussionId, noteId, resolved }: { discussionId: string; noteId: number | undefined; resolved: boolean },
): Promise<void> {
  const writer = writerOf(reader);
  await change(noteable, writer.userId, async (tx, row, now) => {
    const before = await noteStore.discussion(tx, row, discussionId);
    if (before === undefined) throw notFound('Discussion');
    if (before.type === undefined || before.system) throw forbidden();
    const by = resolved ? writer.userId : undefined;
    const changed = await noteStore.resolve(tx, row, discussionId, { noteId, by, at: now });
    if (changed === 0) return { result: undefined };
    const unresolved = resolved ? before.unresolved - changed : before.unresolved + changed;
    return {
      result: undefined,
      counters: { unresolvedCount: unresolvedChange(noteable, before.unresolved, unresolved) },
      fact: { $case: 'discussionChanged', value: { discussionId, resolved: unresolved === 0 } },
    };
  });
}

/** Resolves a thread, or takes that back (G-4.7-8). Fails with `not_found`, `forbidden`. */
export const resolveDiscussion =
  (edges: DiscussionEdges) =>
  async (reader: Reader, ref: NoteableRef, discussionId: string, resolved: boolean): Promise<FoundDiscussion> => {
    const noteable = await edges.find(ref, reader);
    await visibleDiscussion(edges, reader, noteable, discussionId);
    checkMayResolve(writerOf(reader), noteable);
    await settle(edges, reader, noteable, { discussionId, noteId: undefined, resolved });
    return { noteable, discussion: await visibleDiscussion(edges, reader, noteable, discussionId) };
  };

async function noteOf(edges: DiscussionEdges, reader: Reader, ref: DiscussionNoteRef): Promise<FoundNote> {
  const noteable = await edges.find(ref.noteable, reader);
  const note = await edges.notes.find(noteable, ref.noteId, undefined, reader.actor);
  if (note === undefined || note.discussionId !== ref.discussionId) throw notFound();
  checkMaySee(writerOf(reader), note);
  return { noteable, note };
}

/** One note of a discussion. Fails with `not_found`. */
export const getDiscussionNote =
  (edges: DiscussionEdges) =>
  (reader: Reader, ref: DiscussionNoteRef): Promise<FoundNote> =>
    noteOf(edges, reader, ref);

/** Resolves one note of a thread, or takes that back (G-4.7-7). Fails with `not_found`, `forbidden`. */
export const resolveDiscussionNote =
  (edges: DiscussionEdges) =>
  async (reader: Reader, ref: DiscussionNoteRef, resolved: boolean): Promise<FoundNote> => {
    const { noteable } = await noteOf(edges, reader, ref);
    checkMayResolve(writerOf(reader), noteable);
    await settle(edges, reader, noteable, { discussionId: ref.discussionId, noteId: ref.noteId, resolved });
    return noteOf(edges, reader, ref);
  };
