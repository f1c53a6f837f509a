import { DraftNoteServiceService } from '@switchyard/protos/collaboration/v1/draft_note';
import {
  entity,
  fixedOrder,
  implement,
  nothing,
  pageOfLongRows,
  type ServiceImplementation,
  signedIn,
} from '@switchyard/rpc';
import type {
  createDraftNote,
  deleteDraftNote,
  FoundDraftNote,
  getDraftNote,
  listDraftNotes,
  publishDraftNotes,
  updateDraftNote,
} from '../application/draft-notes';
import { presentDraftNote } from '../presenters/draft-note.presenter';

/** Use cases behind the service. */
export interface DraftNoteUseCases {
  readonly listDraftNotes: ReturnType<typeof listDraftNotes>;
  readonly getDraftNote: ReturnType<typeof getDraftNote>;
  readonly createDraftNote: ReturnType<typeof createDraftNote>;
  readonly updateDraftNote: ReturnType<typeof updateDraftNote>;
  readonly deleteDraftNote: ReturnType<typeof deleteDraftNote>;
  readonly publishDraftNotes: ReturnType<typeof publishDraftNotes>;
}

const parentOf = ({ projectId, mergeRequestIid }: { projectId: number; mergeRequestIid: number }) => ({
  projectId,
  iid: mergeRequestIid,
});

const shown = ({ draft, noteable }: FoundDraftNote) => entity(presentDraftNote(draft, noteable));

/** Serves `DraftNoteService`. */
export const draftNoteHandler = (drafts: DraftNoteUseCases): ServiceImplementation =>
  implement(DraftNoteServiceService, {
    listDraftNotes: async (request, context) => {
      const wanted = fixedOrder(request.page, 'id', 'asc');
      const found = await drafts.listDraftNotes(signedIn(context), parentOf(request), wanted);
      return pageOfLongRows(
        found.rows.map((draft) => presentDraftNote(draft, found.noteable)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },
    getDraftNote: async (request, context) =>
      shown(await drafts.getDraftNote(signedIn(context), parentOf(request), request.draftNoteId)),
    createDraftNote: async (request, context) => {
      const { note: body, inReplyToDiscussionId: discussionId, resolveDiscussion, position, commitId } = request;
      const wanted = { body, discussionId, resolveDiscussion, position, commitId };
      return shown(await drafts.createDraftNote(signedIn(context), parentOf(request), wanted));
    },
    updateDraftNote: async (request, context) => {
      const { draftNoteId, note: body, position } = request;
      return shown(await drafts.updateDraftNote(signedIn(context), parentOf(request), draftNoteId, { body, position }));
    },
    deleteDraftNote: async (request, context) => {
      await drafts.deleteDraftNote(signedIn(context), parentOf(request), request.draftNoteId);
      return nothing();
    },
    publishDraftNotes: async (request, context) => {
      await drafts.publishDraftNotes(signedIn(context), parentOf(request), request.draftNoteId);
      return nothing();
    },
  });
