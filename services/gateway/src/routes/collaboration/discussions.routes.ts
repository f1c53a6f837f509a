import { DiscussionServiceService, type NotePosition } from '@switchyard/protos/collaboration/v1/discussion';
import type { z } from 'zod';
import { exactlyOne } from '../../http/check-parameters';
import { boolean, dateTime, documented, float, hash, integer, nullable, object, oneOf, text } from '../../http/params';
import { alsoBelow, defineRoute, type Route } from '../../http/route';
import { afterEpoch, notBlank } from '../field-facts';
import { noteables } from './noteables';
import { noteBodyLimit } from './notes.routes';

const line = () => integer({ min: 1, max: 2_147_483_647 });

/** A place in a diff (G-4.7-3). */
const place = {
  base_sha: text(),
  start_sha: text(),
  head_sha: text(),
  position_type: oneOf('text', 'image', 'file'),
  old_path: text().optional(),
  new_path: text().optional(),
  old_line: nullable(line()).optional(),
  new_line: nullable(line()).optional(),
  width: nullable(integer({ min: 0, max: 2_147_483_647 })).optional(),
  height: nullable(integer({ min: 0, max: 2_147_483_647 })).optional(),
  x: nullable(float()).optional(),
  y: nullable(float()).optional(),
  line_range: object().optional(),
};

/** A place in a diff, as a parameter. */
export const position = hash(place);

const diffParams = { position: position.optional(), commit_id: text().optional() };

/** The message of a place in a diff. */
export const toPosition = (given: z.infer<typeof position> | undefined): NotePosition | undefined =>
  given && {
    baseSha: given.base_sha,
    startSha: given.start_sha,
    headSha: given.head_sha,
    positionType: given.position_type,
    oldPath: given.old_path ?? '',
    newPath: given.new_path ?? '',
    oldLine: given.old_line ?? undefined,
    newLine: given.new_line ?? undefined,
    width: given.width ?? undefined,
    height: given.height ?? undefined,
    x: given.x ?? undefined,
    y: given.y ?? undefined,
    lineRange: given.line_range === undefined ? '' : JSON.stringify(given.line_range),
  };

/** Discussions on every kind of noteable (api.md 4.7). */
export const discussionRoutes: readonly Route[] = noteables.flatMap((kind) => {
  const { path_params, name, read, comment, ref } = kind;
  const path = `${kind.path}/discussions`;
  const tiered = kind.tier === undefined ? {} : { tier: kind.tier };
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
      section: 'Discussions',
      summary: `List the discussions on ${name}`,
      access: read,
      ...tiered,
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
      section: 'Discussions',
      summary: `Get a discussion on ${name}`,
      access: read,
      ...tiered,
      needsToken: true,
      path_params,
      returns: { 200: 'Discussion' },
      handle: ({ path: at, access, call }) => call(DiscussionServiceService).getDiscussion(discussion(access.id, at)),
    }),
    defineRoute({
      method: 'post',
      path,
      section: 'Discussions',
      summary: `Start a thread on ${name}`,
      docs: { example: { body: 'Why is this needed?' } },
      access: comment,
      ...tiered,
      path_params,
      params: {
        body: documented(text(), notBlank(1_000_000)),
        created_at: documented(dateTime(), afterEpoch).optional(),
        internal: boolean().optional(),
        ...(kind.hasDiff ? diffParams : {}),
      },
      bodyLimit: noteBodyLimit,
      returns: { 201: 'Discussion', 202: 'NoteCommands' },
      handle: ({ params, path: at, access, call }) =>
        call(DiscussionServiceService).createDiscussion({
          noteable: ref(access.id, at),
          body: params.body,
          createdAt: params.created_at,
          internal: params.internal ?? false,
          position: toPosition((params as { position?: z.infer<typeof position> }).position),
          commitId: (params as { commit_id?: string }).commit_id,
        }),
    }),
    defineRoute({
      method: 'get',
      path: `${onePath}/notes`,
      section: 'Discussions',
      // A thread comes whole, as it does within the list of threads: no pages (G-4.7-4), but a bound on what it may
      // hold.
      summary: `List the notes of a discussion on ${name}`,
      access: read,
      ...tiered,
      needsToken: true,
      path_params,
      returns: { 200: ['Note'] },
      handle: ({ path: at, access, call }) =>
        call(DiscussionServiceService).listDiscussionNotes(discussion(access.id, at)),
    }),
    defineRoute({
      method: 'post',
      path: `${onePath}/notes`,
      section: 'Discussions',
      summary: `Reply in a discussion on ${name}`,
      access: comment,
      ...tiered,
      path_params,
      // A documentation slip asks for `note_id` (G-4.7-5).
      params: {
        body: documented(text(), notBlank(1_000_000)),
        created_at: documented(dateTime(), afterEpoch).optional(),
        note_id: text().optional(),
      },
      bodyLimit: noteBodyLimit,
      returns: { 201: 'Note', 202: 'NoteCommands' },
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
      section: 'Discussions',
      summary: `Get a note of a discussion on ${name}`,
      access: read,
      ...tiered,
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
      section: 'Discussions',
      summary: `Change a note of a discussion on ${name}, or resolve it`,
      access: comment,
      ...tiered,
      path_params: note,
      params: {
        body: documented(text({ notEmpty: true }), notBlank(1_000_000)).optional(),
        resolved: boolean().optional(),
      },
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
      section: 'Discussions',
      summary: `Delete a note of a discussion on ${name}`,
      docs: { fails: [412] },
      access: comment,
      ...tiered,
      path_params: note,
      returns: { 204: undefined },
      handle: ({ path: at, access, unmodifiedSince, call }) =>
        call(DiscussionServiceService).deleteDiscussionNote({
          ...discussion(access.id, at),
          noteId: at.note_id as number,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
    ...(kind.resolvable
      ? [
          defineRoute({
            method: 'put',
            path: onePath,
            section: 'Discussions',
            summary: `Resolve a thread on ${name}, or take that back`,
            access: comment,
            ...tiered,
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
  ].map(alsoBelow(kind));
});
