import { DiscussionServiceService } from '@switchyard/protos/collaboration/v1/discussion';
import { exactlyOne } from '../../http/check-parameters';
import { boolean, dateTime, integer, text } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { noteables } from './noteables';
import { noteBodyLimit } from './notes.routes';

/** Discussions on every kind of noteable (api.md 4.7). */
export const discussionRoutes: readonly Route[] = noteables.flatMap((kind) => {
  const { path_params, name, read, comment, ref } = kind;
  const path = `${kind.path}/discussions`;
  const onePath = `${path}/:discussion_id`;
  const notePath = `${onePath}/notes/:note_id`;
  const note = { ...path_params, note_id: integer() };
  const discussion = (projectId: number, at: Record<string, unknown>) => ({
    noteable: ref(projectId, at),
    discussionId: String(at.discussion_id),
  });
  return [
    defineRoute({
      method: 'get',
      path,
      summary: `List the discussions on ${name}`,
      access: { project: read },
      needsToken: true,
      path_params,
      list: {},
      returns: { 200: ['Discussion'] },
      handle: ({ path: at, access, page, call }) =>
        call(DiscussionServiceService).listDiscussions({ noteable: ref(access.id, at), page }),
    }),
    defineRoute({
      method: 'get',
      path: onePath,
      summary: `Get a discussion on ${name}`,
      access: { project: read },
      needsToken: true,
      path_params,
      returns: { 200: 'Discussion' },
      handle: ({ path: at, access, call }) => call(DiscussionServiceService).getDiscussion(discussion(access.id, at)),
    }),
    defineRoute({
      method: 'post',
      path,
      summary: `Start a thread on ${name}`,
      access: { project: comment },
      path_params,
      params: { body: text(), created_at: dateTime().optional(), internal: boolean().optional() },
      bodyLimit: noteBodyLimit,
      returns: { 201: 'Discussion' },
      handle: ({ params, path: at, access, call }) =>
        call(DiscussionServiceService).createDiscussion({
          noteable: ref(access.id, at),
          body: params.body,
          createdAt: params.created_at,
          internal: params.internal ?? false,
          position: undefined,
        }),
    }),
    defineRoute({
      method: 'get',
      path: `${onePath}/notes`,
      summary: `List the notes of a discussion on ${name}`,
      access: { project: read },
      needsToken: true,
      path_params,
      returns: { 200: ['Note'] },
      handle: ({ path: at, access, call }) =>
        call(DiscussionServiceService).listDiscussionNotes(discussion(access.id, at)),
    }),
    defineRoute({
      method: 'post',
      path: `${onePath}/notes`,
      summary: `Reply in a discussion on ${name}`,
      access: { project: comment },
      path_params,
      // A documentation slip asks for `note_id` (G-4.7-5).
      params: { body: text(), created_at: dateTime().optional(), note_id: text().optional() },
      bodyLimit: noteBodyLimit,
      returns: { 201: 'Note' },
      handle: ({ params, path: at, access, call }) =>
        call(DiscussionServiceService).replyToDiscussion({
          ...discussion(access.id, at),
          body: params.body,
          createdAt: params.created_at,
        }),
    }),
    defineRoute({
      method: 'get',
      path: notePath,
      summary: `Get a note of a discussion on ${name}`,
      access: { project: read },
      needsToken: true,
      path_params: note,
      returns: { 200: 'Note' },
      handle: ({ path: at, access, call }) =>
        call(DiscussionServiceService).getDiscussionNote({
          ...discussion(access.id, at),
          noteId: at.note_id as number,
        }),
    }),
    defineRoute({
      method: 'put',
      path: notePath,
      summary: `Change a note of a discussion on ${name}, or resolve it`,
      access: { project: comment },
      path_params: note,
      params: { body: text({ notEmpty: true }).optional(), resolved: boolean().optional() },
      relations: [exactlyOne('body', 'resolved')],
      bodyLimit: noteBodyLimit,
      returns: { 200: 'Note' },
      handle: ({ params, path: at, access, call }) =>
        call(DiscussionServiceService).updateDiscussionNote({
          ...discussion(access.id, at),
          noteId: at.note_id as number,
          body: params.body,
          resolved: params.resolved,
        }),
    }),
    defineRoute({
      method: 'delete',
      path: notePath,
      summary: `Delete a note of a discussion on ${name}`,
      access: { project: comment },
      path_params: note,
      returns: { 204: undefined },
      handle: ({ path: at, access, call }) =>
        call(DiscussionServiceService).deleteDiscussionNote({
          ...discussion(access.id, at),
          noteId: at.note_id as number,
        }),
    }),
    ...(kind.resolvable
      ? [
          defineRoute({
            method: 'put',
            path: onePath,
            summary: `Resolve a thread on ${name}, or take that back`,
            access: { project: comment },
            path_params,
            params: { resolved: boolean() },
            returns: { 200: 'Discussion' },
            handle: ({ params, path: at, access, call }) =>
              call(DiscussionServiceService).resolveDiscussion({
                ...discussion(access.id, at),
                resolved: params.resolved,
              }),
          }),
        ]
      : []),
  ];
});
