import type { PageInfo, PageRequest } from '@switchyard/database';
import { badRequest, notFound } from '@switchyard/errors';
import { replyTooLarge } from '@switchyard/rpc';
import { type Noteable, type NoteableRef, noteableRules, type Reader, seesInternal } from '../../noteables';
import {
  bytesOf,
  checkBody,
  checkMayComment,
  checkMayResolve,
  checkThreadSize,
  requireSeen,
  timestampOf,
} from '../domain/note';
import { decideNewDiscussion, decideReply, decideResolution } from '../domain/note-change';
import { invalidPosition, type PositionInput, toPosition } from '../domain/note-position';
import type { DiscussionRow } from '../domain/note-row';
import type { DiffPositions } from './diff-positions';
import type { Noteables } from './find-noteable';
import { type FoundNote, writerOf } from './list-notes';
import type { DiscussionList, NoteList } from './note.ports';
import type { SuggestedChanges } from './suggestion.ports';
import { suggestionsIn } from './suggestions';
import { type TextWriting, type WrittenText, writeText } from './write-text';

/** What discussions need. */
export interface DiscussionEdges extends TextWriting {
  readonly find: Noteables;
  readonly notes: NoteList;
  readonly discussions: DiscussionList;
  readonly positions: DiffPositions;
  readonly changes: Pick<SuggestedChanges, 'read'>;
}

/** A discussion and its noteable. */
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

/**
 * One page of the discussions of a noteable, oldest first: one call to its owner and two statements, whatever the
 * length. Fails with `too_large` when their notes together are too long for a reply.
 */
export const listDiscussions =
  ({ find, discussions }: DiscussionEdges) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    request: PageRequest,
  ): Promise<{ noteable: Noteable; rows: DiscussionRow[]; page: PageInfo }> => {
    const noteable = await find(ref, reader);
    const internal = seesInternal(writerOf(reader));
    const page = await discussions.page(noteable, { internal, viewer: reader.actor }, request);
    if (page === undefined) throw replyTooLarge();
    return { noteable, ...page };
  };

/** A discussion that the reader may see. Fails with `not_found`. */
export async function visibleDiscussion(
  { discussions }: Pick<DiscussionEdges, 'discussions'>,
  reader: Reader,
  noteable: Noteable,
  discussionId: string,
  thing = 'Discussion',
): Promise<DiscussionRow> {
  const discussion = await discussions.find(noteable, discussionId, reader.actor);
  if (discussion === undefined) throw notFound(thing);
  if (discussion.notes[0].internal && !seesInternal(writerOf(reader))) throw notFound(thing);
  return discussion;
}

/** One discussion. Fails with `not_found`. */
export const getDiscussion =
  (edges: DiscussionEdges) =>
  async (reader: Reader, ref: NoteableRef, discussionId: string): Promise<FoundDiscussion> => {
    const noteable = await edges.find(ref, reader);
    return { noteable, discussion: await visibleDiscussion(edges, reader, noteable, discussionId) };
  };

/** The notes of one discussion (G-4.7-4). Fails with `not_found`, with another message than `getDiscussion`. */
export const listDiscussionNotes =
  (edges: DiscussionEdges) =>
  async (reader: Reader, ref: NoteableRef, discussionId: string): Promise<FoundDiscussion> => {
    const noteable = await edges.find(ref, reader);
    return { noteable, discussion: await visibleDiscussion(edges, reader, noteable, discussionId, 'Notes') };
  };

/** A thread as it is requested. */
export interface NewDiscussionRequest {
  readonly body: string;
  readonly internal: boolean;
  readonly createdAt: Date | undefined;
  /** Position in the diff; undefined for a thread without one. */
  readonly position: PositionInput | undefined;
  /** Commit of a merge request in whose own diff that position is. */
  readonly commitId: string | undefined;
}

/** Starts a thread (G-4.7-3). Fails with `not_found`, `forbidden`, `bad_request`. */
export const createDiscussion =
  ({ find, positions, changes, ...writing }: DiscussionEdges) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    { body, internal, createdAt, position: input, commitId }: NewDiscussionRequest,
  ): Promise<WrittenText<FoundDiscussion>> => {
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    checkMayComment(writer, noteable, internal);
    checkBody(body);
    const at = timestampOf(writer, createdAt, writing.clock());
    const ofCommit = noteable.kind === 'MergeRequest' ? commitId : undefined;
    const position = input && noteableRules[noteable.kind].diffs ? toPosition(input, ofCommit) : undefined;
    if (position !== undefined && !(await positions.check(noteable.projectId, position))) throw invalidPosition();
    const [suggestions] = await suggestionsIn(changes, noteable, [{ position, body }]);
    const type = position === undefined ? 'DiscussionNote' : 'DiffNote';
    const note = { type, authorId: writer.userId, internal, position, suggestions, at } as const;
    const written = await writeText(writing, reader, noteable, body, {
      decide: (text) => decideNewDiscussion(noteable, { ...note, body: text }),
    });
    if (written.kind === 'commands') return written;
    const { note: first, ...rest } = written;
    return { ...rest, discussion: { id: first.discussionId, notes: [first] } };
  };

/**
 * Replies (G-4.7-5). A comment becomes a thread by it (G-4.7-10). A resolved thread stays resolved. Fails with
 * `not_found`, `forbidden`, `bad_request`.
 */
export const replyToDiscussion =
  (edges: DiscussionEdges) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    discussionId: string,
    { body, createdAt }: Pick<NewDiscussionRequest, 'body' | 'createdAt'>,
  ): Promise<WrittenText<FoundNote>> => {
    const noteable = await edges.find(ref, reader);
    const writer = writerOf(reader);
    const seen = await visibleDiscussion(edges, reader, noteable, discussionId);
    checkMayComment(writer, noteable, false);
    checkBody(body);
    const at = timestampOf(writer, createdAt, edges.clock());
    if (seen.notes[0].system) throw badRequest('Discussion can not be replied to.');
    const { position } = seen.notes[0];
    const [suggestions] = await suggestionsIn(edges.changes, noteable, [{ position, body }]);
    const reply = { authorId: writer.userId, suggestions, at };
    return writeText(edges, reader, noteable, body, {
      selection: { discussion: { id: discussionId } },
      checkText: (text) => checkThreadSize(bytesOf(seen.notes), text),
      decide: (text, locked) => decideReply(locked, noteable, { ...reply, body: text }),
    });
  };

async function resolve(
  { store }: DiscussionEdges,
  reader: Reader,
  noteable: Noteable,
  { discussionId, noteId, resolved }: { discussionId: string; noteId: number | undefined; resolved: boolean },
): Promise<void> {
  const actorId = writerOf(reader).userId;
  await store.change(noteable, actorId, { discussion: { id: discussionId } }, (locked, at) =>
    decideResolution(locked, noteable, { noteId, resolved, actorId, at }),
  );
}

/** Resolves a thread, or takes that back (G-4.7-8). Fails with `not_found`, `forbidden`. */
export const resolveDiscussion =
  (edges: DiscussionEdges) =>
  async (reader: Reader, ref: NoteableRef, discussionId: string, resolved: boolean): Promise<FoundDiscussion> => {
    const noteable = await edges.find(ref, reader);
    await visibleDiscussion(edges, reader, noteable, discussionId);
    checkMayResolve(writerOf(reader), noteable);
    await resolve(edges, reader, noteable, { discussionId, noteId: undefined, resolved });
    return { noteable, discussion: await visibleDiscussion(edges, reader, noteable, discussionId) };
  };

async function noteOf(edges: DiscussionEdges, reader: Reader, ref: DiscussionNoteRef): Promise<FoundNote> {
  const noteable = await edges.find(ref.noteable, reader);
  const found = await edges.notes.find(noteable, ref.noteId, reader.actor);
  const note = found?.discussionId === ref.discussionId ? found : undefined;
  return { noteable, note: requireSeen(writerOf(reader), note) };
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
    await resolve(edges, reader, noteable, { discussionId: ref.discussionId, noteId: ref.noteId, resolved });
    return noteOf(edges, reader, ref);
  };
