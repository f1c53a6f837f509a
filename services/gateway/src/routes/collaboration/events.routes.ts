import { EventServiceService } from '@switchyard/protos/collaboration/v1/event';
import { date, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';

/** Values of `action` (G-4.8-1). */
const actions = [
  'approved',
  'closed',
  'commented',
  'created',
  'destroyed',
  'expired',
  'joined',
  'left',
  'merged',
  'pushed',
  'reopened',
  'updated',
] as const;

/** Values of `target_type` (api.md 4.8, G-4.8-1). */
const targetTypes = [
  'design',
  'epic',
  'issue',
  'merge_request',
  'milestone',
  'note',
  'project',
  'snippet',
  'user',
  'wiki',
] as const;

const filters = {
  action: oneOf(...actions).optional(),
  target_type: oneOf(...targetTypes).optional(),
  before: date().optional(),
  after: date().optional(),
};

interface Filters {
  action?: string;
  target_type?: string;
  before?: string;
  after?: string;
}

const filterOf = (params: Filters) => ({
  action: params.action ?? '',
  targetType: params.target_type ?? '',
  before: params.before ?? '',
  after: params.after ?? '',
});

/** One order, by time. */
const list = { sort: 'desc' } as const;

/** Activity events (api.md 4.8). */
export const eventRoutes = [
  defineRoute({
    method: 'get',
    path: '/events',
    section: 'Events',
    summary: 'List your activity events, or those of your projects',
    docs: { description: 'List what the caller did; with the scope `all` what happened in their projects.' },
    access: 'user',
    scopes: ['read_user'],
    params: { ...filters, scope: text().optional() },
    list,
    returns: { 200: ['Event'] },
    handle: ({ params, page, call }) =>
      call(EventServiceService).listEvents({ filter: filterOf(params), page, allProjects: params.scope === 'all' }),
  }),
  defineRoute({
    method: 'get',
    path: '/users/:id/events',
    section: 'Events',
    summary: 'List the activity events of a user',
    access: 'public',
    scopes: ['read_user'],
    path_params: { id: text() },
    params: filters,
    list,
    returns: { 200: ['Event'] },
    handle: ({ params, path, page, call }) =>
      call(EventServiceService).listUserEvents({ user: path.id, filter: filterOf(params), page }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/events',
    section: 'Events',
    summary: 'List the activity events of a project',
    access: { project: 'read_project' },
    scopes: ['read_user'],
    params: filters,
    list,
    returns: { 200: ['Event'] },
    handle: ({ params, access, page, call }) =>
      call(EventServiceService).listProjectEvents({ projectId: access.id, filter: filterOf(params), page }),
  }),
];
