import {
  type AlertAssigneeFilter,
  AlertAssigneeFilter_Kind,
  AlertServiceService,
} from '@switchyard/protos/alerts/v1/alert';
import { atLeastOne, mutuallyExclusive } from '../../http/check-parameters';
import { documented, idOrNoneAny, integer, integers, manyOf, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const path = '/projects/:id/alert_management_alerts' as const;
const onePath = `${path}/:alert_iid` as const;
const one = { alert_iid: integer() };
const statuses = ['triggered', 'acknowledged', 'resolved', 'ignored'] as const;

const assigneeFilter = (
  id: number | 'None' | 'Any' | undefined,
  username: string | undefined,
): AlertAssigneeFilter | undefined => {
  if (id === 'None') return { kind: AlertAssigneeFilter_Kind.KIND_NONE, userId: 0, username: '' };
  if (id === 'Any') return { kind: AlertAssigneeFilter_Kind.KIND_ANY, userId: 0, username: '' };
  if (id === undefined && username === undefined) return undefined;
  return { kind: AlertAssigneeFilter_Kind.KIND_USER, userId: id ?? 0, username: username ?? '' };
};

/** Alerts of projects (G-13-8). */
export const alertRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'Alerts',
    summary: 'List the alerts of a project',
    access: { project: 'read_alerts' },
    params: {
      status: manyOf(...statuses).optional(),
      severity: manyOf('critical', 'high', 'medium', 'low', 'info', 'unknown').optional(),
      search: text().optional(),
      fingerprint: text().optional(),
      environment: documented(text(), {
        description: 'Name of an environment of the project, exactly. None of that name: an empty list.',
      }).optional(),
      assignee_id: idOrNoneAny().optional(),
      assignee_username: text().optional(),
    },
    relations: [mutuallyExclusive('assignee_id', 'assignee_username')],
    limitWith: { parameter: 'search', limit: 'search' },
    list: {
      orderBy: ['created_at', 'updated_at', 'started_at', 'ended_at', 'severity', 'status', 'events'],
      sort: 'desc',
    },
    returns: { 200: ['Alert'] },
    handle: ({ params, access, page, call }) =>
      call(AlertServiceService).listAlerts({
        projectId: access.id,
        page,
        statuses: params.status ?? [],
        severities: params.severity ?? [],
        search: params.search ?? '',
        fingerprint: params.fingerprint ?? '',
        environment: params.environment ?? '',
        assignee: assigneeFilter(params.assignee_id, params.assignee_username),
      }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section: 'Alerts',
    summary: 'Get an alert',
    access: { project: 'read_alerts' },
    path_params: one,
    returns: { 200: 'AlertWithPayload' },
    handle: ({ path: at, access, call }) =>
      call(AlertServiceService).getAlert({ projectId: access.id, iid: at.alert_iid }),
  }),
  defineRoute({
    method: 'put',
    path: onePath,
    section: 'Alerts',
    summary: 'Set the status or the assignees of an alert',
    docs: { fails: [409], example: { status: 'acknowledged', assignee_ids: [5] } },
    access: { project: 'update_alerts' },
    path_params: one,
    params: {
      status: oneOf(...statuses).optional(),
      assignee_ids: integers().optional(),
    },
    relations: [atLeastOne('status', 'assignee_ids')],
    returns: { 200: 'AlertWithPayload' },
    handle: ({ params, path: at, access, call }) =>
      call(AlertServiceService).updateAlert({
        projectId: access.id,
        iid: at.alert_iid,
        status: params.status,
        assignees:
          params.assignee_ids === undefined ? undefined : { userIds: params.assignee_ids.filter((id) => id !== 0) },
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/issue`,
    section: 'Alerts',
    summary: 'Open an incident for an alert',
    docs: { description: 'Open an issue for an alert. 202 while it is being made: ask again.', fails: [409] },
    access: { project: 'update_alerts' },
    path_params: one,
    returns: { 201: 'AlertIncident', 202: 'AlertIncidentAccepted' },
    handle: ({ path: at, access, call }) =>
      call(AlertServiceService).requestIncident({ projectId: access.id, iid: at.alert_iid }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/alert_management/receipts/:receipt_id',
    section: 'Alerts',
    summary: 'Get what became of the items of an alert payload',
    docs: { description: 'Get what became of each item of a payload, by the id that the inlet gave it.' },
    access: { project: 'read_alerts' },
    path_params: { receipt_id: text() },
    returns: { 200: 'AlertReceipt' },
    handle: ({ path: at, access, call }) =>
      call(AlertServiceService).getAlertReceipt({ projectId: access.id, receiptId: at.receipt_id }),
  }),
];
