import { invalidParams } from '@switchyard/errors';
import { type NoteableRef as NoteableRefMessage, NoteServiceService } from '@switchyard/protos/collaboration/v1/note';
import {
  entity,
  implement,
  nothing,
  pageOfLongRows,
  pageRequest,
  type ServiceImplementation,
  signedIn,
} from '@switchyard/rpc';
import type { NoteableRef } from '../../noteables';
import type { limitNotes } from '../application/limit-notes';
import type { getNote, listNotes } from '../application/list-notes';
import type { CommandOutcome } from '../application/run-quick-actions';
import type { createNote, deleteNote, updateNote } from '../application/write-notes';
import type { NoteActivityFilter } from '../domain/note';
import { presentAward } from '../presenters/award-emoji.presenter';
import { presentNote } from '../presenters/note.presenter';

/** Use cases behind the service. */
export interface NoteUseCases {
  readonly listNotes: ReturnType<typeof listNotes>;
  readonly getNote: ReturnType<typeof getNote>;
  readonly limitNotes: ReturnType<typeof limitNotes>;
  readonly createNote: ReturnType<typeof createNote>;
  readonly updateNote: ReturnType<typeof updateNote>;
  readonly deleteNote: ReturnType<typeof deleteNote>;
}

/** What a message names. */
export function refOf(message: NoteableRefMessage | undefined): NoteableRef {
  const projectId = message?.projectId ?? 0;
  const target = message?.target;
  switch (target?.$case) {
    case 'mergeRequestIid':
      return { kind: 'MergeRequest', projectId, iid: target.value };
    case 'issueIid':
      return { kind: 'Issue', projectId, iid: target.value };
    case 'snippetId':
      return { kind: 'Snippet', projectId, id: target.value };
    case 'alertIid':
      return { kind: 'AlertManagement::Alert', projectId, iid: target.value };
    case 'epicId':
      return { kind: 'Epic', groupId: projectId, epic: { id: target.value } };
    case 'epicIid':
      return { kind: 'Epic', groupId: projectId, epic: { iid: target.value } };
    case 'commit':
      return { kind: 'Commit', projectId, revision: target.value };
    default:
      throw invalidParams('noteable is missing');
  }
}

/** The outcome of quick actions, where no note was written (G-2-18). */
export const commandsReply = ({ changes, summary }: CommandOutcome) =>
  entity({ commands_changes: changes, summary }, 202);

const filters = new Map<string, NoteActivityFilter>(
  (['all_notes', 'only_comments', 'only_activity'] as const).map((name) => [name, name]),
);

/** Serves `NoteService`. */
export const noteHandler = (notes: NoteUseCases, externalUrl: string): ServiceImplementation =>
  implement(NoteServiceService, {
    listNotes: async (request, context) => {
      const wanted = pageRequest(request.page, { orderBy: 'created_at', descending: true });
      const filter = filters.get(request.activityFilter || 'all_notes');
      if (filter === undefined) throw invalidParams('activity_filter does not have a valid value');
      const found = await notes.listNotes(signedIn(context), refOf(request.noteable), filter, wanted);
      return pageOfLongRows(
        found.rows.map((row) => presentNote(row, found.noteable, externalUrl)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },
    getNote: async (request, context) => {
      const { note, noteable } = await notes.getNote(signedIn(context), refOf(request.noteable), request.noteId);
      return entity(presentNote(note, noteable, externalUrl));
    },
    createNote: async ({ noteable: ref, body, internal, createdAt }, context) => {
      await notes.limitNotes(signedIn(context).actor.userId);
      const written = await notes.createNote(context, refOf(ref), { body, internal, createdAt });
      switch (written.kind) {
        case 'reaction':
          return entity(presentAward(written.award, externalUrl));
        case 'commands':
          return commandsReply(written.commands);
        case 'written':
          return entity({
            ...presentNote(written.note, written.noteable, externalUrl),
            commands_changes: written.commands.changes,
          });
      }
    },
    updateNote: async ({ noteable: ref, noteId, body, confidential }, context) => {
      const { note, noteable } = await notes.updateNote(signedIn(context), refOf(ref), noteId, { body, confidential });
      return entity(presentNote(note, noteable, externalUrl));
    },
    deleteNote: async ({ noteable: ref, noteId, ifUnmodifiedSince }, context) => {
      const condition = { unmodifiedSince: ifUnmodifiedSince, discussionId: undefined };
      await notes.deleteNote(signedIn(context), refOf(ref), noteId, condition);
      return nothing();
    },
  });
