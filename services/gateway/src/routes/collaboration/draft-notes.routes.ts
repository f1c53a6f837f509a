import { DraftNoteServiceService } from '@switchyard/protos/collaboration/v1/draft_note';
import { atLeastOne } from '../../http/check-parameters';
import { boolean, documented, integer, text } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { notBlank } from '../field-facts';
import { position, toPosition } from './discussions.routes';
import { noteBodyLimit } from './notes.routes';

const mergeRequest = { merge_request_iid: integer() };
const draftNote = { ...mergeRequest, draft_note_id: integer() };
const path = '/projects/:id/merge_requests/:merge_request_iid/draft_notes' as const;
const onePath = `${path}/:draft_note_id` as const;
const section = 'Draft notes' as const;

const noteText = () => documented(text(), notBlank(1_000_000));

/** Draft notes of merge requests. */
export const draftNoteRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'List the caller’s draft notes on a merge request',
    access: { project: 'read_merge_request' },
    needsToken: true,
    path_params: mergeRequest,
    list: {},
    returns: { 200: ['DraftNote'] },
    handle: ({ path: at, access, page, call }) =>
      call(DraftNoteServiceService).listDraftNotes({
        projectId: access.id,
        mergeRequestIid: at.merge_request_iid,
        page,
      }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section,
    summary: 'Get a draft note',
    access: { project: 'read_merge_request' },
    needsToken: true,
    path_params: draftNote,
    returns: { 200: 'DraftNote' },
    handle: ({ path: at, access, call }) =>
      call(DraftNoteServiceService).getDraftNote({
        projectId: access.id,
        mergeRequestIid: at.merge_request_iid,
        draftNoteId: at.draft_note_id,
      }),
  }),
  defineRoute({
    method: 'post',
    path,
    section,
    summary: 'Write a draft note on a merge request',
    docs: {
      description:
        'Write a comment that nobody else sees until it is published. A user has at most 100 drafts on a merge request.',
      example: { note: 'Why is this needed?' },
    },
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: {
      note: noteText(),
      in_reply_to_discussion_id: text().optional(),
      resolve_discussion: boolean().optional(),
      position: position.optional(),
      commit_id: documented(text(), { pattern: '^([0-9a-f]{40})?$' }).optional(),
    },
    bodyLimit: noteBodyLimit,
    returns: { 201: 'DraftNote' },
    handle: ({ params, path: at, access, call }) =>
      call(DraftNoteServiceService).createDraftNote({
        projectId: access.id,
        mergeRequestIid: at.merge_request_iid,
        note: params.note,
        inReplyToDiscussionId: params.in_reply_to_discussion_id ?? '',
        resolveDiscussion: params.resolve_discussion ?? false,
        position: toPosition(params.position),
        commitId: params.commit_id ?? '',
      }),
  }),
  defineRoute({
    method: 'put',
    path: onePath,
    section,
    summary: 'Change a draft note',
    access: { project: 'update_merge_request' },
    path_params: draftNote,
    params: {
      note: documented(text({ notEmpty: true }), notBlank(1_000_000)).optional(),
      position: position.optional(),
    },
    relations: [atLeastOne('note', 'position')],
    bodyLimit: noteBodyLimit,
    returns: { 200: 'DraftNote' },
    handle: ({ params, path: at, access, call }) =>
      call(DraftNoteServiceService).updateDraftNote({
        projectId: access.id,
        mergeRequestIid: at.merge_request_iid,
        draftNoteId: at.draft_note_id,
        note: params.note,
        position: toPosition(params.position),
      }),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section,
    summary: 'Delete a draft note',
    access: { project: 'update_merge_request' },
    path_params: draftNote,
    returns: { 204: undefined },
    handle: ({ path: at, access, call }) =>
      call(DraftNoteServiceService).deleteDraftNote({
        projectId: access.id,
        mergeRequestIid: at.merge_request_iid,
        draftNoteId: at.draft_note_id,
      }),
  }),
  defineRoute({
    method: 'put',
    path: `${onePath}/publish`,
    section,
    summary: 'Publish a draft note',
    docs: { fails: [409] },
    access: { project: 'update_merge_request' },
    path_params: draftNote,
    returns: { 204: undefined },
    handle: ({ path: at, access, call }) =>
      call(DraftNoteServiceService).publishDraftNotes({
        projectId: access.id,
        mergeRequestIid: at.merge_request_iid,
        draftNoteId: at.draft_note_id,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${path}/bulk_publish`,
    section,
    summary: 'Publish all of the caller’s draft notes on a merge request',
    docs: {
      description:
        'Publish all drafts of the caller together, or none. The caller’s review of the merge request is `reviewed` afterwards.',
      fails: [409],
    },
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    returns: { 204: undefined },
    handle: ({ path: at, access, call }) =>
      call(DraftNoteServiceService).publishDraftNotes({
        projectId: access.id,
        mergeRequestIid: at.merge_request_iid,
        draftNoteId: undefined,
      }),
  }),
];
