import { UploadServiceService } from '@switchyard/protos/packages/v1/upload';
import { documented, integer, text } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { toPackages } from './registry';

const section = 'Uploads';
const path = '/projects/:id/uploads' as const;
const onePath = `${path}/:upload_id` as const;
const linkedPath = `${path}/:secret/:filename` as const;
const one = { upload_id: integer({ min: 0 }) };
const linked = {
  secret: documented(text(), { minLength: 32, maxLength: 32, description: 'As the link has it.' }),
  filename: documented(text(), { minLength: 1, maxLength: 255, description: 'As the link has it.' }),
};

const contentTypes = [
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/tiff', 'image/x-icon', 'image/bmp'],
  'application/octet-stream',
];
const ofFile = {
  description:
    'Pictures are shown in place; every other file, HTML and SVG among them, comes as an attachment. Ranges are served.',
  contentTypes,
};

const showLinked = (at: typeof linkedPath | '/-/project/:id/uploads/:secret/:filename', summary: string) =>
  defineRoute({
    method: 'get',
    path: at,
    section,
    summary,
    docs: ofFile,
    access: { project: 'read_project' },
    path_params: linked,
    returns: { 200: undefined },
    handle: async ({ access, path: { secret, filename } }) =>
      toPackages(['projects', access.id, 'uploads', secret, filename]),
  });

/** Files that texts of a project link to (ADR 79). */
export const uploadRoutes = [
  defineRoute({
    method: 'post',
    path,
    section,
    summary: 'Upload a file for a text of a project',
    docs: {
      description:
        'Texts of the project show it by the `markdown` of the reply. It has at most 100 MiB, unless the operator sets another limit; a user uploads 60 a minute. Its name gets `_` for all but letters, digits and `. - + _`.',
      fails: [408, 413],
    },
    access: { project: 'write_upload' },
    limit: 'uploads',
    upload: 'file',
    returns: { 201: 'NewUpload' },
    handle: async ({ access }) => toPackages(['projects', access.id, 'uploads']),
  }),
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'List the uploads of a project',
    access: { project: 'admin_upload' },
    list: {},
    returns: { 200: ['Upload'] },
    handle: ({ access, page, call }) => call(UploadServiceService).listUploads({ projectId: access.id, page }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section,
    summary: 'Get an upload by its id',
    docs: ofFile,
    access: { project: 'admin_upload' },
    path_params: one,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) => toPackages(['projects', access.id, 'uploads', at.upload_id]),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section,
    summary: 'Delete an upload by its id',
    access: { project: 'delete_upload' },
    path_params: one,
    returns: { 204: undefined },
    handle: ({ access, path: at, call }) =>
      call(UploadServiceService).deleteUpload({ projectId: access.id, uploadId: at.upload_id }),
  }),
  showLinked(linkedPath, 'Get an upload by its link'),
  defineRoute({
    method: 'delete',
    path: linkedPath,
    section,
    summary: 'Delete an upload by its link',
    access: { project: 'delete_upload' },
    path_params: linked,
    returns: { 204: undefined },
    handle: ({ access, path: at, call }) =>
      call(UploadServiceService).deleteUploadBySecret({ projectId: access.id, ...at }),
  }),
];

/** The address in `full_path`; it is next to `/api/v4`, and not in the reference. */
export const linkedUploads: readonly Route[] = [
  showLinked('/-/project/:id/uploads/:secret/:filename', 'Show an upload'),
];
