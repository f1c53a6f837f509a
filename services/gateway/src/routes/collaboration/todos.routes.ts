import { TodoServiceService } from '@switchyard/protos/collaboration/v1/todo';
import { integer, oneOf } from '../../http/params';
import { alsoBelow, defineRoute } from '../../http/route';
import { epicsHome } from './epics/epics-home';

/** Reasons of a to-do (api.md section 2, G-2-23). */
const actions = [
  'assigned',
  'mentioned',
  'build_failed',
  'marked',
  'approval_required',
  'unmergeable',
  'directly_addressed',
  'merge_train_removed',
  'member_access_requested',
  'review_requested',
  'review_submitted',
  'added_approver',
  'okr_checkin_requested',
  'ssh_key_expired',
  'ssh_key_expiring_soon',
] as const;

const targetTypes = [
  'Issue',
  'MergeRequest',
  'Commit',
  'Epic',
  'DesignManagement::Design',
  'AlertManagement::Alert',
  'Project',
  'Namespace',
  'Vulnerability',
] as const;

const filters = {
  action: oneOf(...actions).optional(),
  author_id: integer().optional(),
  project_id: integer().optional(),
  group_id: integer().optional(),
  state: oneOf('pending', 'done').optional(),
  type: oneOf(...targetTypes).optional(),
};

interface Filters {
  action?: string;
  author_id?: number;
  project_id?: number;
  group_id?: number;
  state?: string;
  type?: string;
}

const filterOf = (params: Filters) => ({
  action: params.action ?? '',
  authorId: params.author_id,
  projectId: params.project_id,
  groupId: params.group_id,
  state: params.state ?? '',
  targetType: params.type ?? '',
});

export const todoRoutes = [
  defineRoute({
    method: 'get',
    path: '/todos',
    section: 'To-dos',
    summary: 'List your to-do items',
    access: 'user',
    params: filters,
    list: {},
    returns: { 200: ['Todo'] },
    handle: ({ params, page, call }) => call(TodoServiceService).listTodos({ filter: filterOf(params), page }),
  }),
  defineRoute({
    method: 'post',
    path: '/todos/mark_as_done',
    section: 'To-dos',
    summary: 'Mark all your to-do items as done',
    docs: {
      description: "Mark as done the caller's to-do items, or those that the parameters name.",
      example: { project_id: 7 },
    },
    access: 'user',
    params: filters,
    returns: { 204: undefined },
    handle: ({ params, call }) => call(TodoServiceService).markAllTodosAsDone({ filter: filterOf(params) }),
  }),
  defineRoute({
    method: 'post',
    path: '/todos/:id/mark_as_done',
    section: 'To-dos',
    summary: 'Mark a to-do item as done',
    access: 'user',
    path_params: { id: integer() },
    returns: { 201: 'Todo' },
    handle: ({ path, call }) => call(TodoServiceService).markTodoAsDone({ id: path.id }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/merge_requests/:merge_request_iid/todo',
    section: 'To-dos',
    summary: 'Create a to-do item on a merge request',
    docs: { description: 'Create a to-do item for the caller. 304 when there is one already.' },
    access: { project: 'read_merge_request' },
    path_params: { merge_request_iid: integer() },
    returns: { 201: 'Todo', 304: undefined },
    handle: ({ path, access, call }) =>
      call(TodoServiceService).createMergeRequestTodo({
        projectId: access.id,
        mergeRequestIid: path.merge_request_iid,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/issues/:issue_iid/todo',
    section: 'To-dos',
    summary: 'Create a to-do item on an issue',
    docs: { description: 'Create a to-do item for the caller. 304 when there is one already.' },
    access: { project: 'read_issue' },
    path_params: { issue_iid: integer() },
    returns: { 201: 'Todo', 304: undefined },
    handle: ({ path, access, call }) =>
      call(TodoServiceService).createIssueTodo({ projectId: access.id, issueIid: path.issue_iid }),
  }),
  alsoBelow(epicsHome)(
    defineRoute({
      method: 'post',
      path: `${epicsHome.path}/:epic_iid/todo`,
      section: 'To-dos',
      summary: 'Create a to-do item on an epic',
      docs: { description: 'Create a to-do item for the caller. 304 when there is one already (G-4.18-4).' },
      access: { group: 'read_epic' },
      tier: 'premium',
      path_params: { epic_iid: integer() },
      returns: { 201: 'Todo', 304: undefined },
      handle: ({ path, access, call }) =>
        call(TodoServiceService).createEpicTodo({ groupId: access.id, epicIid: path.epic_iid }),
    }),
  ),
  defineRoute({
    method: 'post',
    path: '/projects/:id/alert_management_alerts/:alert_iid/todo',
    section: 'To-dos',
    summary: 'Create a to-do item on an alert',
    docs: { description: 'Create a to-do item for the caller. 304 when there is one already.' },
    access: { project: 'read_alerts' },
    path_params: { alert_iid: integer() },
    returns: { 201: 'Todo', 304: undefined },
    handle: ({ path, access, call }) =>
      call(TodoServiceService).createAlertTodo({ projectId: access.id, alertIid: path.alert_iid }),
  }),
];
