import { ImportPlaceholderServiceService } from '@switchyard/protos/imports_exports/v1/import_placeholder';
import { documented, integer, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const root = '/projects/:id/import/placeholders';
const one = `${root}/:placeholder_id`;
const section = 'Imports';
const path_params = { placeholder_id: integer() };
const returns = { 200: 'ImportPlaceholder' } as const;

/** Who is asked may be no member of a private project: the owner of the placeholder says whom it is there for. */
const asked = {
  section,
  method: 'post',
  access: 'user',
  returns,
  path_params: {
    ...path_params,
    id: documented(text({ notEmpty: true }), { description: 'Id or full path of the project.' }),
  },
} as const;

/** The project by its id, or by its path. */
const projectOf = (id: string) =>
  /^\d{1,15}$/.test(id) ? { projectId: Number(id), projectPath: '' } : { projectId: 0, projectPath: id };

/** People of a forge for whom placeholder users stand in an imported project (ADR 67). */
export const importPlaceholderRoutes = [
  defineRoute({
    method: 'get',
    path: root,
    section,
    summary: 'List the placeholders of an imported project',
    docs: {
      description:
        'People of the forge who were not found here. A placeholder user stands for each of them, until somebody takes the place.',
    },
    access: { project: 'admin_import' },
    list: { orderBy: ['id'], sort: 'asc' },
    params: {
      state: documented(oneOf('pending', 'awaiting_approval', 'reassigning', 'reassigned'), {
        description: 'Those that stand so.',
      }).optional(),
    },
    returns: { 200: ['ImportPlaceholder'] },
    handle: ({ access, page, params, call }) =>
      call(ImportPlaceholderServiceService).listImportPlaceholders({
        page,
        projectId: access.id,
        state: params.state ?? '',
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${one}/reassign`,
    section,
    summary: 'Reassign a placeholder',
    docs: {
      description:
        'Puts a user in the place of a placeholder, in all that was imported: at once where the caller is this user or an administrator; otherwise the user is asked, and accepts or rejects it.',
      example: { user_id: 5 },
      fails: [409, 429],
    },
    access: { project: 'admin_import' },
    limit: 'import_placeholder',
    path_params,
    params: { user_id: documented(integer({ min: 1 }), { description: 'Id of a user or service account.' }) },
    returns,
    handle: ({ access, path, params, call }) =>
      call(ImportPlaceholderServiceService).reassignImportPlaceholder({
        projectId: access.id,
        placeholderId: path.placeholder_id,
        userId: params.user_id,
      }),
  }),
  defineRoute({
    ...asked,
    path: `${one}/accept`,
    summary: 'Accept the place of a placeholder',
    docs: {
      description:
        'As the user who was asked. What the person wrote at the forge is then written in their name, and where the import brings collaborators they get the role of this person in the project.',
      fails: [409],
    },
    handle: ({ path, call }) =>
      call(ImportPlaceholderServiceService).acceptImportPlaceholder({
        ...projectOf(path.id),
        placeholderId: path.placeholder_id,
      }),
  }),
  defineRoute({
    ...asked,
    path: `${one}/reject`,
    summary: 'Reject the place of a placeholder',
    docs: { description: 'As the user who was asked. The placeholder can be reassigned to somebody else.' },
    handle: ({ path, call }) =>
      call(ImportPlaceholderServiceService).rejectImportPlaceholder({
        ...projectOf(path.id),
        placeholderId: path.placeholder_id,
      }),
  }),
];
