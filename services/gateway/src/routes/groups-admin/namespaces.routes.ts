import { NamespaceServiceService } from '@switchyard/protos/groups_admin/v1/namespace';
import { boolean, integer, text } from '../../http/params';
import { defineRoute } from '../../http/route';

/** Namespaces (G §10 Namespaces). */
export const namespaceRoutes = [
  defineRoute({
    method: 'get',
    path: '/namespaces',
    section: 'Namespaces',
    summary: 'List namespaces',
    access: 'user',
    params: {
      search: text().optional(),
      owned_only: boolean().default(false),
      top_level_only: boolean().default(false),
    },
    list: { orderBy: [] },
    returns: { 200: ['Namespace'] },
    handle: ({ params, page, call }) =>
      call(NamespaceServiceService).listNamespaces({
        page: { ...page, orderBy: 'id' },
        search: params.search ?? '',
        ownedOnly: params.owned_only,
        topLevelOnly: params.top_level_only,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/namespaces/:id',
    section: 'Namespaces',
    summary: 'Get a namespace by id or path',
    access: 'user',
    path_params: { id: text() },
    returns: { 200: 'Namespace' },
    handle: ({ path, call }) => call(NamespaceServiceService).getNamespace({ namespace: path.id }),
  }),
  defineRoute({
    method: 'get',
    path: '/namespaces/:id/exists',
    section: 'Namespaces',
    summary: 'Tell whether a path is taken',
    docs: { description: 'Whether a path is taken at the top level or below a group; with paths that are free.' },
    access: 'user',
    path_params: { id: text() },
    params: { parent_id: integer({ min: 0 }).optional() },
    returns: { 200: 'NamespaceExistence' },
    handle: ({ path, params, call }) =>
      call(NamespaceServiceService).checkNamespaceExists({ path: path.id, parentId: params.parent_id ?? 0 }),
  }),
];
