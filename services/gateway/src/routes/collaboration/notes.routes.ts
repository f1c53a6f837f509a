import { NoteServiceService } from '@switchyard/protos/collaboration/v1/note';
import { integer, oneOf } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { noteables } from './noteables';

/** Notes of every kind of noteable (api.md 4.6). */
export const noteRoutes: readonly Route[] = noteables.flatMap((kind) => {
  if (kind.notes === undefined) return [];
  const { path_params, name, read, ref } = kind;
  const path = `${kind.path}/${kind.notes}`;
  return [
    defineRoute({
      method: 'get',
      path,
      summary: `List the notes of ${name}`,
      access: { project: read },
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
      summary: `Get a note of ${name}`,
      access: { project: read },
      needsToken: true,
      path_params: { ...path_params, note_id: integer() },
      returns: { 200: 'Note' },
      handle: ({ path: at, access, call }) =>
        call(NoteServiceService).getNote({ noteable: ref(access.id, at), noteId: at.note_id as number }),
    }),
  ];
});
