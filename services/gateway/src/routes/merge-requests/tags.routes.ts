import { TagServiceService } from '@switchyard/protos/merge_requests/v1/tag';
import { documented, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { refName } from '../field-facts';

const tag = { tag_name: text() };

/** Tags of a repository (G §10 Repository). */
export const tagRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/tags',
    section: 'Tags',
    summary: 'List tags',
    access: { project: 'read_code' },
    tokens: ['job'],
    params: { search: text().optional(), page_token: text().optional() },
    list: {
      orderBy: ['updated', 'name', 'version'],
      sort: 'desc',
      keysetParameters: (cursor) => ({ page_token: cursor }),
    },
    returns: { 200: ['Tag'] },
    handle: ({ params, access, page, call }) =>
      call(TagServiceService).listTags({
        projectId: access.id,
        page: { ...page, cursor: params.page_token ?? page.cursor },
        search: params.search ?? '',
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/repository/tags',
    section: 'Tags',
    summary: 'Create a tag',
    docs: { fails: [409, 422], example: { tag_name: 'v1.0.0', ref: 'main', message: 'The first release' } },
    access: { project: 'push_code' },
    params: { tag_name: documented(text(), refName), ref: text(), message: text().optional() },
    returns: { 201: 'Tag' },
    handle: ({ params, access, call }) =>
      call(TagServiceService).createTag({
        projectId: access.id,
        tagName: params.tag_name,
        ref: params.ref,
        message: params.message ?? '',
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/tags/:tag_name',
    section: 'Tags',
    summary: 'Get a tag',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: tag,
    returns: { 200: 'Tag' },
    handle: ({ path, access, call }) =>
      call(TagServiceService).getTag({ projectId: access.id, tagName: path.tag_name }),
  }),
  defineRoute({
    method: 'delete',
    path: '/projects/:id/repository/tags/:tag_name',
    section: 'Tags',
    summary: 'Delete a tag',
    docs: { fails: [409, 422] },
    access: { project: 'push_code' },
    path_params: tag,
    returns: { 204: undefined },
    handle: ({ path, access, call }) =>
      call(TagServiceService).deleteTag({ projectId: access.id, tagName: path.tag_name }),
  }),
];
