import { invalidParams } from '@switchyard/errors';
import { DiscussionServiceService } from '@switchyard/protos/collaboration/v1/discussion';
import type { NoteableRef as NoteableRefMessage } from '@switchyard/protos/collaboration/v1/note';
import {
  entity,
  fixedOrder,
  implement,
  nothing,
  pageOfLongRows,
  pageRequest,
  type ServiceImplementation,
  signedIn,
} from '@switchyard/rpc';
import type { createCommitComment, listCommitComments } from '../application/comment-on-commits';
import type { countNotes } from '../application/count-notes';
import type {
  createDiscussion,
  DiscussionNoteRef,
  getDiscussion,
  getDiscussionNote,
  listDiscussionNotes,
  listDiscussions,
  replyToDiscussion,
  resolveDiscussion,
  resolveDiscussionNote,
} from '../application/discuss';
import type { FoundNote } from '../application/list-notes';
import type { deleteNote, updateNote } from '../application/write-notes';
import { presentCommitComment } from '../presenters/commit-comment.presenter';
import { presentDiscussion } from '../presenters/discussion.presenter';
import { presentNote } from '../presenters/note.presenter';
import { commandsReply, refOf } from './note.handler';

/** Use cases behind the service. */
export interface DiscussionUseCases {
  readonly listDiscussions: ReturnType<typeof listDiscussions>;
  readonly getDiscussion: ReturnType<typeof getDiscussion>;
  readonly listDiscussionNotes: ReturnType<typeof listDiscussionNotes>;
  readonly createDiscussion: ReturnType<typeof createDiscussion>;
  readonly resolveDiscussion: ReturnType<typeof resolveDiscussion>;
  readonly replyToDiscussion: ReturnType<typeof replyToDiscussion>;
  readonly getDiscussionNote: ReturnType<typeof getDiscussionNote>;
  readonly resolveDiscussionNote: ReturnType<typeof resolveDiscussionNote>;
  readonly updateNote: ReturnType<typeof updateNote>;
  readonly deleteNote: ReturnType<typeof deleteNote>;
  readonly listCommitComments: ReturnType<typeof listCommitComments>;
  readonly createCommitComment: ReturnType<typeof createCommitComment>;
  readonly countNotes: ReturnType<typeof countNotes>;
}

const noteRef = (message: {
  noteable: NoteableRefMessage | undefined;
  discussionId: string;
  noteId: number;
}): DiscussionNoteRef => ({
  noteable: refOf(message.noteable),
  discussionId: message.discussionId,
  noteId: message.noteId,
});

function commitOf(message: NoteableRefMessage | undefined) {
  const ref = refOf(message);
  if (ref.kind !== 'Commit') throw invalidParams('sha is invalid');
  return ref;
}

/** Serves `DiscussionService`. */
export const discussionHandler = (discussions: DiscussionUseCases, externalUrl: string): ServiceImplementation => {
  const noteEntity = ({ note, noteable }: FoundNote) => entity(presentNote(note, noteable, externalUrl));
  const service = implement(DiscussionServiceService, {
    listDiscussions: async (request, context) => {
      // The order is fixed (G-4.7-11).
      const wanted = fixedOrder(request.page, 'created_at', 'asc');
      const found = await discussions.listDiscussions(signedIn(context), refOf(request.noteable), wanted);
      return pageOfLongRows(
        found.rows.map((row) => presentDiscussion(row, found.noteable, externalUrl)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },
    getDiscussion: async (request, context) => {
      const found = await discussions.getDiscussion(signedIn(context), refOf(request.noteable), request.discussionId);
      return entity(presentDiscussion(found.discussion, found.noteable, externalUrl));
    },
    createDiscussion: async ({ noteable, body, createdAt, internal, position, commitId }, context) => {
      const command = { body, internal, createdAt, position, commitId };
      const found = await discussions.createDiscussion(signedIn(context), refOf(noteable), command);
      if (found.kind === 'commands') return commandsReply(found.commands);
      const { notes, ...thread } = presentDiscussion(found.discussion, found.noteable, externalUrl);
      const commands_changes = found.commands.changes;
      return entity({ ...thread, notes: notes.map((note) => ({ ...note, commands_changes })) });
    },
    resolveDiscussion: async ({ noteable, discussionId, resolved }, context) => {
      const found = await discussions.resolveDiscussion(signedIn(context), refOf(noteable), discussionId, resolved);
      return entity(presentDiscussion(found.discussion, found.noteable, externalUrl));
    },
    listDiscussionNotes: async (request, context) => {
      const { noteable: ref, discussionId } = request;
      const found = await discussions.listDiscussionNotes(signedIn(context), refOf(ref), discussionId);
      return entity(presentDiscussion(found.discussion, found.noteable, externalUrl).notes);
    },
    replyToDiscussion: async ({ noteable, discussionId, body, createdAt }, context) => {
      const command = { body, createdAt };
      const written = await discussions.replyToDiscussion(signedIn(context), refOf(noteable), discussionId, command);
      if (written.kind === 'commands') return commandsReply(written.commands);
      return entity({
        ...presentNote(written.note, written.noteable, externalUrl),
        commands_changes: written.commands.changes,
      });
    },
    getDiscussionNote: async (request, context) =>
      noteEntity(await discussions.getDiscussionNote(signedIn(context), noteRef(request))),
    updateDiscussionNote: async (request, context) => {
      const { body, resolved } = request;
      const caller = signedIn(context);
      const ref = noteRef(request);
      if (resolved !== undefined && body === undefined)
        return noteEntity(await discussions.resolveDiscussionNote(caller, ref, resolved));
      if (body === undefined || resolved !== undefined)
        throw invalidParams('body, resolved are missing, exactly one parameter must be provided');
      await discussions.getDiscussionNote(caller, ref);
      return noteEntity(
        await discussions.updateNote(caller, ref.noteable, ref.noteId, { body, confidential: undefined }),
      );
    },
    deleteDiscussionNote: async (request, context) => {
      const { noteable, noteId, discussionId } = noteRef(request);
      const condition = { unmodifiedSince: request.ifUnmodifiedSince, discussionId };
      await discussions.deleteNote(signedIn(context), noteable, noteId, condition);
      return nothing();
    },
    listCommitComments: async (request, context) => {
      const wanted = pageRequest(request.page, { orderBy: 'created_at' });
      const found = await discussions.listCommitComments(signedIn(context), commitOf(request.noteable), wanted);
      return pageOfLongRows(
        found.rows.map((row) => presentCommitComment(row, externalUrl)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },
    createCommitComment: async ({ noteable, note: body, path, line, lineType }, context) => {
      const command = { body, path, line, side: lineType === 'old' ? ('old' as const) : ('new' as const) };
      const written = await discussions.createCommitComment(signedIn(context), commitOf(noteable), command);
      return written.kind === 'commands'
        ? commandsReply(written.commands)
        : entity(presentCommitComment(written.note, externalUrl));
    },
    countNotes: ({ kind, projectId, targetId }) => discussions.countNotes({ kind, projectId, targetId }),
  });
  return { ...service, rules: { countNotes: { callers: ['merge-requests'] } } };
};
