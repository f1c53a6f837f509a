import { SnippetServiceService } from '@switchyard/protos/collaboration/v1/snippet';
import { atLeastOne, exactlyOne, mutuallyExclusive } from '../../http/check-parameters';
import { documented, hashes, integer, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { longText, oneLine, snippetPath } from '../field-facts';

const path = '/projects/:id/snippets' as const;
const onePath = `${path}/:snippet_id` as const;
const one = { snippet_id: integer() };
const visibility = oneOf('public', 'internal', 'private');
const plainText = 'text/plain; charset=utf-8';
/** Bytes of a request that carries files of some megabytes, escaped. */
const bodyLimit = 16 << 20;

/** Snippets of projects (G §10 Snippets). */
export const snippetRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'Snippets',
    summary: 'List the snippets of a project',
    access: { project: 'read_snippet' },
    list: {},
    returns: { 200: ['Snippet'] },
    handle: ({ access, page, call }) => call(SnippetServiceService).listSnippets({ projectId: access.id, page }),
  }),
  defineRoute({
    method: 'post',
    path,
    section: 'Snippets',
    summary: 'Create a snippet',
    docs: {
      description: 'Create a snippet, with `files` or with one `content`.',
      example: { title: 'Usage', visibility: 'private', files: [{ file_path: 'usage.md', content: '# Usage\n' }] },
    },
    access: { project: 'create_snippet' },
    params: {
      title: documented(text(), oneLine),
      visibility,
      description: documented(text(), longText).optional(),
      file_name: documented(text(), snippetPath).optional(),
      content: text({ notEmpty: true }).optional(),
      files: documented(
        hashes({ file_path: documented(text(), snippetPath), content: documented(text(), { minLength: 1 }) }),
        {
          minItems: 1,
          maxItems: 10,
        },
      ).optional(),
    },
    relations: [exactlyOne('files', 'content')],
    bodyLimit,
    returns: { 201: 'Snippet' },
    handle: ({ params, access, call }) =>
      call(SnippetServiceService).createSnippet({
        projectId: access.id,
        title: params.title,
        description: params.description ?? '',
        visibility: params.visibility,
        files: (params.files ?? [{ file_path: params.file_name ?? 'snippet.txt', content: params.content ?? '' }]).map(
          ({ file_path, content }) => ({ path: file_path, content, action: '', previousPath: '' }),
        ),
      }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section: 'Snippets',
    summary: 'Get a snippet',
    access: { project: 'read_snippet' },
    path_params: one,
    returns: { 200: 'Snippet' },
    handle: ({ path: at, access, call }) =>
      call(SnippetServiceService).getSnippet({ projectId: access.id, snippetId: at.snippet_id }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/raw`,
    section: 'Snippets',
    summary: 'Get the content of a snippet',
    docs: { description: 'Get the content of the first file of a snippet.', contentTypes: ['text/plain'] },
    access: { project: 'read_snippet' },
    path_params: one,
    returns: { 200: undefined },
    handle: async ({ path: at, access, call }) => {
      const wanted = { projectId: access.id, snippetId: at.snippet_id, path: '', ref: '' };
      return { raw: (await call(SnippetServiceService).getSnippetRaw(wanted)).json, contentType: plainText };
    },
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/files/:ref/:file_path/raw`,
    section: 'Snippets',
    summary: 'Get the content of a file of a snippet',
    docs: { contentTypes: ['text/plain'] },
    access: { project: 'read_snippet' },
    path_params: { ...one, ref: text(), file_path: text() },
    returns: { 200: undefined },
    handle: async ({ path: at, access, call }) => {
      const wanted = { projectId: access.id, snippetId: at.snippet_id, path: at.file_path, ref: at.ref };
      return { raw: (await call(SnippetServiceService).getSnippetRaw(wanted)).json, contentType: plainText };
    },
  }),
  defineRoute({
    method: 'put',
    path: onePath,
    section: 'Snippets',
    summary: 'Change a snippet',
    access: { project: 'write_snippet' },
    path_params: one,
    params: {
      title: documented(text(), oneLine).optional(),
      visibility: visibility.optional(),
      description: documented(text(), longText).optional(),
      file_name: documented(text(), snippetPath).optional(),
      content: text({ notEmpty: true }).optional(),
      files: hashes({
        action: oneOf('create', 'update', 'delete', 'move'),
        file_path: text().optional(),
        previous_path: text().optional(),
        content: text().optional(),
      }).optional(),
    },
    relations: [
      atLeastOne('title', 'description', 'files', 'content', 'file_name', 'visibility'),
      mutuallyExclusive('files', 'content'),
      mutuallyExclusive('files', 'file_name'),
    ],
    bodyLimit,
    returns: { 200: 'Snippet' },
    handle: ({ params, path: at, access, call }) => {
      const { file_name, content } = params;
      // Without a list, name and content are those of the only file.
      const renamed =
        file_name === undefined && content === undefined ? [] : [{ action: 'move', file_path: file_name, content }];
      return call(SnippetServiceService).updateSnippet({
        projectId: access.id,
        snippetId: at.snippet_id,
        title: params.title,
        description: params.description,
        visibility: params.visibility,
        files: (params.files ?? renamed).map((file) => ({
          action: file.action,
          path: file.file_path ?? '',
          previousPath: 'previous_path' in file ? (file.previous_path ?? '') : '',
          content: file.content,
        })),
      });
    },
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section: 'Snippets',
    summary: 'Delete a snippet',
    docs: { fails: [412] },
    access: { project: 'write_snippet' },
    path_params: one,
    returns: { 204: undefined },
    handle: ({ path: at, access, unmodifiedSince, call }) =>
      call(SnippetServiceService).deleteSnippet({
        projectId: access.id,
        snippetId: at.snippet_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
