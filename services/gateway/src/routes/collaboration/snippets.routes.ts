import {
  ListPersonalSnippetsRequest_Scope as Scope,
  SnippetServiceService,
} from '@switchyard/protos/collaboration/v1/snippet';
import { atLeastOne, exactlyOne, mutuallyExclusive } from '../../http/check-parameters';
import { dateTime, documented, hashes, integer, oneOf, text } from '../../http/params';
import { defineRoute, type Route, type RouteAccess } from '../../http/route';
import { longText, oneLine, snippetPath } from '../field-facts';

/** Where snippets lie. */
interface Place {
  readonly path: string;
  /** How the reference names one. */
  readonly one: string;
  readonly read: RouteAccess;
  readonly create: RouteAccess;
  readonly write: RouteAccess;
  /** Visibility of a new one, of the values that there are. */
  readonly visibility: typeof anyVisibility | ReturnType<typeof anyVisibility.default>;
}

const anyVisibility = oneOf('public', 'internal', 'private');

const ofProjects: Place = {
  path: '/projects/:id/snippets',
  one: 'a snippet',
  read: { project: 'read_snippet' },
  create: { project: 'create_snippet' },
  write: { project: 'write_snippet' },
  visibility: anyVisibility,
};

/** Personal ones: the service decides who sees and who changes one. */
const personal: Place = {
  path: '/snippets',
  one: 'a personal snippet',
  read: 'public',
  create: 'user',
  write: 'user',
  visibility: anyVisibility.default('private'),
};

const section = 'Snippets';
const plainText = 'text/plain; charset=utf-8';
/** Bytes of a request that carries files of some megabytes, escaped. */
const bodyLimit = 16 << 20;

/** Lists of personal snippets. */
const personalList = (path: string, summary: string, access: RouteAccess, scope: Scope): Route =>
  defineRoute({
    method: 'get',
    path,
    section,
    summary,
    access,
    params: { created_after: dateTime().optional(), created_before: dateTime().optional() },
    list: {},
    returns: { 200: ['Snippet'] },
    handle: ({ params, page, call }) =>
      call(SnippetServiceService).listPersonalSnippets({
        page,
        scope,
        createdAfter: params.created_after,
        createdBefore: params.created_before,
      }),
  });

/** What is done to snippets, wherever they lie. */
const operations = ({ path, one, read, create, write, visibility }: Place): Route[] => {
  const onePath = `${path}/:snippet_id`;
  const path_params = { snippet_id: integer() };
  return [
    defineRoute({
      method: 'post',
      path,
      section,
      summary: `Create ${one}`,
      docs: {
        description: `Create ${one}, with \`files\` or with one \`content\`.`,
        example: { title: 'Usage', visibility: 'private', files: [{ file_path: 'usage.md', content: '# Usage\n' }] },
      },
      access: create,
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
          projectId: access?.id ?? 0,
          title: params.title,
          description: params.description ?? '',
          visibility: params.visibility,
          files: (
            params.files ?? [{ file_path: params.file_name ?? 'snippet.txt', content: params.content ?? '' }]
          ).map(({ file_path, content }) => ({ path: file_path, content, action: '', previousPath: '' })),
        }),
    }),
    defineRoute({
      method: 'get',
      path: onePath,
      section,
      summary: `Get ${one}`,
      access: read,
      path_params,
      returns: { 200: 'Snippet' },
      handle: ({ path: at, access, call }) =>
        call(SnippetServiceService).getSnippet({ projectId: access?.id ?? 0, snippetId: at.snippet_id }),
    }),
    defineRoute({
      method: 'get',
      path: `${onePath}/raw`,
      section,
      summary: `Get the content of ${one}`,
      docs: { description: `Get the content of the first file of ${one}.`, contentTypes: ['text/plain'] },
      access: read,
      path_params,
      returns: { 200: undefined },
      handle: async ({ path: at, access, call }) => {
        const wanted = { projectId: access?.id ?? 0, snippetId: at.snippet_id, path: '', ref: '' };
        return { raw: (await call(SnippetServiceService).getSnippetRaw(wanted)).json, contentType: plainText };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${onePath}/files/:ref/:file_path/raw`,
      section,
      summary: `Get the content of a file of ${one}`,
      docs: { contentTypes: ['text/plain'] },
      access: read,
      path_params: { ...path_params, ref: text(), file_path: text() },
      returns: { 200: undefined },
      handle: async ({ path: at, access, call }) => {
        const wanted = { projectId: access?.id ?? 0, snippetId: at.snippet_id, path: at.file_path, ref: at.ref };
        return { raw: (await call(SnippetServiceService).getSnippetRaw(wanted)).json, contentType: plainText };
      },
    }),
    defineRoute({
      method: 'put',
      path: onePath,
      section,
      summary: `Change ${one}`,
      access: write,
      path_params,
      params: {
        title: documented(text(), oneLine).optional(),
        visibility: anyVisibility.optional(),
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
          projectId: access?.id ?? 0,
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
      section,
      summary: `Delete ${one}`,
      docs: { fails: [412] },
      access: write,
      path_params,
      returns: { 204: undefined },
      handle: ({ path: at, access, unmodifiedSince, call }) =>
        call(SnippetServiceService).deleteSnippet({
          projectId: access?.id ?? 0,
          snippetId: at.snippet_id,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
  ];
};

/** Snippets of projects, and personal ones (G §10 Snippets). */
export const snippetRoutes = [
  defineRoute({
    method: 'get',
    path: ofProjects.path,
    section,
    summary: 'List the snippets of a project',
    access: { project: 'read_snippet' },
    list: {},
    returns: { 200: ['Snippet'] },
    handle: ({ access, page, call }) => call(SnippetServiceService).listSnippets({ projectId: access.id, page }),
  }),
  ...operations(ofProjects),
  personalList(personal.path, 'List your personal snippets', 'user', Scope.SCOPE_OWN),
  personalList(`${personal.path}/public`, 'List public personal snippets', 'public', Scope.SCOPE_PUBLIC),
  personalList(`${personal.path}/all`, 'List the personal snippets that you may see', 'user', Scope.SCOPE_ALL),
  ...operations(personal),
];
