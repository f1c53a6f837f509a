import { IssueServiceService } from '@switchyard/protos/collaboration/v1/issue';
import { IssueEventServiceService } from '@switchyard/protos/collaboration/v1/issue_event';
import { IssueTimelogServiceService } from '@switchyard/protos/collaboration/v1/issue_timelog';
import { atLeastOne } from '../../http/check-parameters';
import { boolean, date, dateTime, documented, integer, nullable, oneOf, onlyDefault, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { afterEpoch, longTextBodyLimit, oneLine } from '../field-facts';
import { changedFields, newFields, sharedFields } from '../issuable-fields';
import { resourceEventRoutes } from '../resource-events';
import { timeTrackingRoutes } from '../time-tracking';

const issue = { issue_iid: integer() };
const projectPath = '/projects/:id/issues' as const;
const onePath = `${projectPath}/:issue_iid` as const;

const weight = integer({ min: 0, max: 2_147_483_647 });

const fields = {
  ...sharedFields,
  due_date: nullable(date()).optional(),
  confidential: boolean().optional(),
  discussion_locked: boolean().optional(),
  issue_type: oneOf('issue', 'incident', 'task').optional(),
  weight: nullable(weight).optional(),
  epic_id: nullable(integer({ min: 0 })).optional(),
  health_status: nullable(oneOf('on_track', 'needs_attention', 'at_risk')).optional(),
  iteration_id: onlyDefault(nullable(integer({ min: 0 })), null).optional(),
};

const updatable = [
  'add_labels',
  'assignee_id',
  'assignee_ids',
  'confidential',
  'description',
  'discussion_locked',
  'due_date',
  'epic_id',
  'health_status',
  'issue_type',
  'labels',
  'milestone_id',
  'remove_labels',
  'state_event',
  'title',
  'updated_at',
  'weight',
];

/** Issues (G §10 Issues). */
export const issueRoutes = [
  defineRoute({
    method: 'get',
    path: '/issues/:id',
    section: 'Issues',
    summary: 'Get an issue by its id',
    docs: { description: 'Get an issue by the id that is unique in the instance, not by its number in the project.' },
    access: 'admin',
    path_params: { id: integer() },
    returns: { 200: 'Issue' },
    handle: ({ path, call }) => call(IssueServiceService).getIssueById({ id: path.id }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section: 'Issues',
    summary: 'Get an issue',
    access: { project: 'read_issue' },
    path_params: issue,
    params: { render_html: boolean().default(false) },
    returns: { 200: 'Issue' },
    handle: ({ params, path, access, call }) =>
      call(IssueServiceService).getIssue({
        projectId: access.id,
        iid: path.issue_iid,
        renderHtml: params.render_html,
      }),
  }),
  defineRoute({
    method: 'post',
    path: projectPath,
    section: 'Issues',
    summary: 'Create an issue',
    docs: {
      description: 'Create an issue. Labels that do not exist yet are created.',
      fails: [409],
      example: { title: 'Repair the login page', labels: ['bug'], due_date: '2030-01-31' },
    },
    access: { project: 'write_issue' },
    limit: 'issues_create',
    params: {
      title: documented(text({ notEmpty: true }), oneLine),
      ...fields,
      created_at: documented(dateTime(), afterEpoch).optional(),
      // Those after it must be whole numbers still.
      iid: integer({ min: 1, max: 2_147_483_647 }).optional(),
    },
    bodyLimit: longTextBodyLimit,
    returns: { 201: 'Issue' },
    handle: ({ params, access, call }) =>
      call(IssueServiceService).createIssue({
        projectId: access.id,
        title: params.title,
        ...newFields(params),
        issueType: params.issue_type ?? '',
        confidential: params.confidential ?? false,
        dueDate: params.due_date ?? '',
        weight: params.weight ?? undefined,
        healthStatus: params.health_status ?? '',
        createdAt: params.created_at,
        iid: params.iid ?? 0,
        discussionLocked: params.discussion_locked ?? false,
        epicId: params.epic_id ?? 0,
      }),
  }),
  defineRoute({
    method: 'put',
    path: onePath,
    section: 'Issues',
    summary: 'Update an issue',
    docs: {
      description: 'Update an issue, or close and reopen it. At least one parameter must be sent.',
      fails: [409],
      example: { title: 'Repair the login page', state_event: 'close' },
    },
    access: { project: 'write_issue' },
    path_params: issue,
    params: {
      title: documented(text({ notEmpty: true }), oneLine).optional(),
      state_event: oneOf('close', 'reopen').optional(),
      ...fields,
      updated_at: documented(dateTime(), afterEpoch).optional(),
    },
    relations: [atLeastOne(...updatable)],
    bodyLimit: longTextBodyLimit,
    returns: { 200: 'Issue' },
    handle: ({ params, path, access, call }) =>
      call(IssueServiceService).updateIssue({
        projectId: access.id,
        iid: path.issue_iid,
        title: params.title,
        stateEvent: params.state_event,
        ...changedFields(params),
        dueDate: params.due_date === null ? '' : params.due_date,
        weight: params.weight ?? undefined,
        clearWeight: params.weight === null,
        healthStatus: params.health_status === null ? '' : params.health_status,
        confidential: params.confidential,
        discussionLocked: params.discussion_locked,
        issueType: params.issue_type,
        updatedAt: params.updated_at,
        epicId: params.epic_id === null ? 0 : params.epic_id,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section: 'Issues',
    summary: 'Delete an issue',
    docs: { fails: [412] },
    access: { project: 'write_issue' },
    path_params: issue,
    returns: { 204: undefined },
    handle: ({ path, access, unmodifiedSince, call }) =>
      call(IssueServiceService).deleteIssue({
        projectId: access.id,
        iid: path.issue_iid,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/move`,
    section: 'Issues',
    summary: 'Move an issue to another project',
    docs: {
      description: 'Make a copy in another project, with its conversation, and close the old one.',
      fails: [409],
    },
    access: { project: 'write_issue' },
    path_params: issue,
    params: { to_project_id: integer() },
    returns: { 201: 'Issue' },
    handle: ({ params, path, access, call }) =>
      call(IssueServiceService).moveIssue({
        projectId: access.id,
        iid: path.issue_iid,
        toProjectId: params.to_project_id,
      }),
  }),
  ...(['subscribe', 'unsubscribe'] as const).map((verb) =>
    defineRoute({
      method: 'post',
      path: `${onePath}/${verb}`,
      section: 'Issues',
      summary: verb === 'subscribe' ? 'Subscribe to an issue' : 'Unsubscribe from an issue',
      access: { project: 'write_issue' },
      path_params: issue,
      returns: { 201: 'Issue', 304: undefined },
      handle: ({ path, access, call }) =>
        call(IssueServiceService).setIssueSubscription({
          projectId: access.id,
          iid: path.issue_iid,
          subscribed: verb === 'subscribe',
        }),
    }),
  ),
  defineRoute({
    method: 'get',
    path: `${onePath}/participants`,
    section: 'Issues',
    summary: 'List participants of an issue',
    access: { project: 'read_issue' },
    path_params: issue,
    list: { orderBy: [] },
    returns: { 200: ['IssueUser'] },
    handle: ({ path, access, page, call }) =>
      call(IssueServiceService).listIssueParticipants({ projectId: access.id, iid: path.issue_iid, page }),
  }),
  ...(['closed_by', 'related_merge_requests'] as const).map((name) =>
    defineRoute({
      method: 'get',
      path: `${onePath}/${name}`,
      section: 'Issues',
      summary:
        name === 'closed_by' ? 'List merge requests that close an issue' : 'List merge requests that name an issue',
      access: { project: 'read_issue' },
      path_params: issue,
      list: { orderBy: [] },
      returns: { 200: ['MergeRequestListed'] },
      handle: ({ path, access, page, call }) =>
        call(IssueServiceService).listMergeRequestsOfIssue({
          projectId: access.id,
          iid: path.issue_iid,
          closing: name === 'closed_by',
          page,
        }),
    }),
  ),
  ...(['closes_issues', 'related_issues'] as const).map((name) =>
    defineRoute({
      method: 'get',
      path: `/projects/:id/merge_requests/:merge_request_iid/${name}`,
      section: 'Merge requests',
      summary:
        name === 'closes_issues' ? 'List issues that a merge request closes' : 'List issues that a merge request names',
      access: { project: 'read_merge_request' },
      path_params: { merge_request_iid: integer() },
      list: { orderBy: [] },
      returns: { 200: ['IssueListed'] },
      handle: ({ path, access, page, call }) =>
        call(IssueServiceService).listIssuesOfMergeRequest({
          projectId: access.id,
          mergeRequestIid: path.merge_request_iid,
          closing: name === 'closes_issues',
          page,
        }),
    }),
  ),
  ...resourceEventRoutes({
    path: onePath,
    section: 'Issues',
    iid: 'issue_iid',
    name: 'an issue',
    read: 'read_issue',
    list: (call, request) => call(IssueEventServiceService).listIssueEvents(request),
    get: (call, request) => call(IssueEventServiceService).getIssueEvent(request),
  }),
  ...timeTrackingRoutes({
    path: onePath,
    section: 'Issues',
    iid: 'issue_iid',
    name: 'an issue',
    read: 'read_issue',
    write: 'write_issue',
    component: 'IssueTimeStats',
    stats: (call, key) => call(IssueServiceService).getIssueTimeStats(key),
    track: (call, request) => call(IssueServiceService).trackIssueTime(request),
    timelogs: (call, request) => call(IssueTimelogServiceService).listIssueTimelogs(request),
    deleteTimelog: (call, request) => call(IssueTimelogServiceService).deleteIssueTimelog(request),
  }),
];
