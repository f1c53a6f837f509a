import type { PageInfo, PageRequest } from '@switchyard/database';
import { badRequest, forbidden, notFound } from '@switchyard/errors';
import { replyTooLarge } from '@switchyard/rpc';
import { type Noteable, type NoteableRef, noteableRules, type Reader, seesInternal } from '../../noteables';
import { bytesOf, checkBody, checkMayComment, checkMayResolve, checkRoom, momentOf, requireSeen } from '../domain/note';
import { noteSubject } from '../domain/note-fact';
import { noSuchPlace, positionOf, type WantedPosition } from '../domain/note-position';
import type { DiscussionRow } from '../domain/note-row';
import type { ChangeNoteable } from './change-noteable';
import type { DiffPlaces } from './diff-places';
import type { Noteables } from './find-noteable';
import { type FoundNote, writerOf } from './list-notes';
import type { DiscussionList, NoteList, NoteStore } from './note.ports';
import type { CommandOutcome, RunCommands } from './run-quick-actions';
import { carryOut, counted, mentionsOf, unresolvedChange } from './write-notes';

/** What discussions need. */
export interface DiscussionEdges {
  readonly find: Noteables;
  readonly notes: NoteList;
  readonly store: NoteStore;
  readonly discussions: DiscussionList;
  readonly change: ChangeNoteable;
  readonly places: DiffPlaces;
  readonly runCommands: RunCommands;
  readonly clock: () => Date;
}

/** What became of a body: what was to be written, or commands alone (G-2-18). */
export type Said<T> =
  | (T & { readonly kind: 'written'; readonly commands: CommandOutcome })
  | { readonly kind: 'commands'; readonly commands: CommandOutcome };

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

/**
 * One page of the discussions of a noteable, oldest first: one call to its owner and two statements, whatever the length. Fails with
 * `too_large` when their notes together are too long for a reply.
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

async function visibleDiscussion(
  { discussions }: DiscussionEdges,
  reader: Reader,
  noteable: Noteable,
  discussionId: string,
  thing = 'Discussion',
): Promise<DiscussionRow> {
  const discussion = await discussions.find(noteable, discussionId, undefined, reader.actor);
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

/** One discussion, asked for its notes (G-4.7-4). Fails with `not_found`, in other words than `getDiscussion`. */
export const listDiscussionNotes =
  (edges: DiscussionEdges) =>
  async (reader: Reader, ref: NoteableRef, discussionId: string): Promise<FoundDiscussion> => {
    const noteable = await edges.find(ref, reader);
    return { noteable, discussion: await visibleDiscussion(edges, reader, noteable, discussionId, 'Notes') };
  };

/** A thread as somebody wants it. */
export interface DiscussionWish {
  readonly body: string;
  readonly internal: boolean;
  readonly createdAt: Date | undefined;
  /** Place in the diff; undefined for a thread without one. */
  readonly position: WantedPosition | undefined;
  /** Commit of a merge request in whose own diff that place is. */
  readonly commitId: string | undefined;
}

/** Starts a thread (G-4.7-3). Fails with `not_found`, `forbidden`, `bad_request`. */
export const createDiscussion =
  ({ find, discussions, notes, store, change, places, runCommands, clock }: DiscussionEdges) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    { body, internal, createdAt, position: wanted, commitId }: DiscussionWish,
  ): Promise<Said<FoundDiscussion>> => {
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    checkMayComment(writer, noteable, internal);
    checkBody(body);
    const at = momentOf(writer, createdAt, clock());
    const ofCommit = noteable.kind === 'MergeRequest' ? commitId : undefined;
    const position = wanted && noteableRules[noteable.kind].diffs ? positionOf(wanted, ofCommit) : undefined;
    if (position !== undefined && !(await places.check(noteable.projectId, position))) throw noSuchPlace();
    const type = position === undefined ? 'DiscussionNote' : 'DiffNote';
    const began = clock();
    const { text, outcome, commandsOnly } = await carryOut(runCommands, reader, noteable, body);
    if (commandsOnly) return { kind: 'commands', commands: outcome };
    const discussion = await change(noteable, writer.userId, async (tx, row) => {
      const id = await store.insert(tx, {
        noteableId: row,
        projectId: noteable.projectId,
        discussionId: undefined,
        type,
        authorId: writer.userId,
        body: text,
        internal,
        position,
        resolvedById: undefined,
        at,
      });
      const note = await notes.find(noteable, id, tx);
      const made = note && (await discussions.find(noteable, note.discussionId, tx));
      if (note === undefined || made === undefined) throw new Error('a thread that has just been started is not there');
      return {
        result: made,
        counters: { ...counted(note, 1), unresolvedCount: unresolvedChange(noteable, 0, 1) },
        occurredAt: began,
        fact: { $case: 'created', value: { note: noteSubject(note), mentions: mentionsOf(text) } },
      };
    });
    return { kind: 'written', noteable, discussion, commands: outcome };
  };

/**
 * Replies (G-4.7-5); a comment becomes a thread by it (G-4.7-10), and a resolved thread stays resolved: whoever sees more to do says so.
 * Fails with `not_found`, `forbidden`, `bad_request`.
 */
export const replyToDiscussion =
  (edges: DiscussionEdges) =>
  async (
    reader: Reader,
    ref: NoteableRef,
    discussionId: string,
    { body, createdAt }: Pick<DiscussionWish, 'body' | 'createdAt'>,
  ): Promise<Said<FoundNote>> => {
    const { find, notes, store, change, runCommands, clock } = edges;
    const noteable = await find(ref, reader);
    const writer = writerOf(reader);
    const seen = await visibleDiscussion(edges, reader, noteable, discussionId);
    checkMayComment(writer, noteable, false);
    checkBody(body);
    const at = momentOf(writer, createdAt, clock());
    if (seen.notes[0].system) throw badRequest('Discussion can not be replied to.');
    const began = clock();
    const { text, outcome, commandsOnly } = await carryOut(runCommands, reader, noteable, body, (wanted) =>
      checkRoom(bytesOf(seen.notes), wanted),
    );
    if (commandsOnly) return { kind: 'commands', commands: outcome };
    const note = await change(noteable, writer.userId, async (tx, row) => {
      const before = await store.discussion(tx, row, discussionId);
      if (before === undefined) throw notFound('Discussion');
      checkRoom(before.bytes, text);
      const settled = noteableRules[noteable.kind].resolvable && before.type !== undefined && before.unresolved === 0;
      if (before.type === undefined) await store.makeThread(tx, row, discussionId);
      const id = await store.insert(tx, {
        noteableId: row,
        projectId: noteable.projectId,
        discussionId,
        type: before.type ?? 'DiscussionNote',
        authorId: writer.userId,
        body: text,
        internal: before.internal,
        position: before.position,
        resolvedById: settled ? writer.userId : undefined,
        at,
      });
      const written = await notes.find(noteable, id, tx);
      if (written === undefined) throw new Error('a reply that has just been written is not there');
      return {
        result: written,
        counters: {
          ...counted(written, 1),
          unresolvedCount: settled ? 0 : unresolvedChange(noteable, before.unresolved, 1),
        },
        occurredAt: began,
        fact: { $case: 'created', value: { note: noteSubject(written), mentions: mentionsOf(text) } },
      };
    });
    return { kind: 'written', noteable, note, commands: outcome };
  };

async function settle(
  { store, change }: DiscussionEdges,
  reader: Reader,
  noteable: Noteable,
  { discussionId, noteId, resolved }: { discussionId: string; noteId: number | undefined; resolved: boolean },
): Promise<void> {
  const writer = writerOf(reader);
  await change(noteable, writer.userId, async (tx, row, now) => {
    const before = await store.discussion(tx, row, discussionId);
    if (before === undefined) throw notFound('Discussion');
    if (before.type === undefined || before.system) throw forbidden();
    const by = resolved ? writer.userId : undefined;
    const changed = await store.resolve(tx, row, discussionId, { noteId, by, at: now });
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
  const found = await edges.notes.find(noteable, ref.noteId, undefined, reader.actor);
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
    await settle(edges, reader, noteable, { discussionId: ref.discussionId, noteId: ref.noteId, resolved });
    return noteOf(edges, reader, ref);
  };
