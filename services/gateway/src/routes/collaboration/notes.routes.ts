import { NoteServiceService } from '@switchyard/protos/collaboration/v1/note';
import { atLeastOne } from '../../http/check-parameters';
import { boolean, dateTime, documented, integer, oneOf, text } from '../../http/params';
import { alsoBelow, defineRoute, type Route } from '../../http/route';
import { afterEpoch, notBlank } from '../field-facts';
import { noteables } from './noteables';

/** Bytes of a request that carries a body of 1,000,000 characters, each escaped as `\ud83d\ude00` at the worst. */
export const noteBodyLimit = 16 << 20;

/** Notes of every kind of noteable (api.md 4.6). */
export const noteRoutes: readonly Route[] = noteables.flatMap((kind) => {
  if (!kind.hasNotes) return [];
  const { path_params, name, read, comment, ref } = kind;
  const path = `${kind.path}/notes`;
  const tiered = kind.tier === undefined ? {} : { tier: kind.tier };
  const one = { ...path_params, note_id: integer() };
  return [
    defineRoute({
      method: 'get',
      path,
      section: 'Notes',
      summary: `List the notes of ${name}`,
      access: read,
      ...tiered,
      needsToken: true,
      path_params,
      params: { activity_filter: oneOf('all_notes', 'only_comments', 'only_activity').optional() },
      list: { orderBy: ['created_at', 'updated_at'], sort: 'desc' },
      returns: { 200: ['Note'] },
      handle: ({ params, path: at, access, page, call }) =>
        call(NoteServiceService).listNotes({
          noteable: ref(access.id, at),
          activityFilter: params.activity_filter ?? '',
          page,
        }),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/:note_id`,
      section: 'Notes',
      summary: `Get a note of ${name}`,
      access: read,
      ...tiered,
      needsToken: true,
      path_params: one,
      returns: { 200: 'Note' },
      handle: ({ path: at, access, call }) =>
        call(NoteServiceService).getNote({ noteable: ref(access.id, at), noteId: at.note_id as number }),
    }),
    defineRoute({
      method: 'post',
      path,
      section: 'Notes',
      summary: `Comment on ${name}`,
      docs: {
        description:
          'Add a note. A note that is only an emoji becomes a reaction, and one that holds only quick actions is carried out and not kept (202).',
        example: { body: 'Looks good to me.' },
      },
      access: comment,
      ...tiered,
      path_params,
      params: {
        body: documented(text(), notBlank(1_000_000)),
        internal: boolean().optional(),
        confidential: boolean().optional(),
        created_at: documented(dateTime(), afterEpoch).optional(),
        merge_request_diff_head_sha: text().optional(),
      },
      bodyLimit: noteBodyLimit,
      returns: { 201: 'NoteOrAwardEmoji', 202: 'NoteCommands' },
      handle: ({ params, path: at, access, call }) =>
        call(NoteServiceService).createNote({
          noteable: ref(access.id, at),
          body: params.body,
          internal: params.internal ?? params.confidential ?? false,
          createdAt: params.created_at,
        }),
    }),
    defineRoute({
      method: 'put',
      path: `${path}/:note_id`,
      section: 'Notes',
      summary: `Change a note of ${name}`,
      access: comment,
      ...tiered,
      path_params: one,
      params: {
        body: documented(text({ notEmpty: true }), notBlank(1_000_000)).optional(),
        confidential: boolean().optional(),
      },
      // `confidential` alone changes nothing, and is refused where it would (G-4.6-4).
      relations: [atLeastOne('body', 'confidential')],
      bodyLimit: noteBodyLimit,
      returns: { 200: 'Note' },
      handle: ({ params, path: at, access, call }) =>
        call(NoteServiceService).updateNote({
          noteable: ref(access.id, at),
          noteId: at.note_id as number,
          body: params.body,
          confidential: params.confidential,
        }),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/:note_id`,
      section: 'Notes',
      summary: `Delete a note of ${name}`,
      docs: { fails: [412] },
      access: comment,
      ...tiered,
      path_params: one,
      returns: { 204: undefined },
      handle: ({ path: at, access, unmodifiedSince, call }) =>
        call(NoteServiceService).deleteNote({
          noteable: ref(access.id, at),
          noteId: at.note_id as number,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
  ].map(alsoBelow(kind));
});
