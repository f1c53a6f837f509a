import { LedgerServiceService } from '@switchyard/protos/collaboration/v1/ledger';
import { dateTime, documented, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const section = 'Ledger';

const target = (forms: string) => documented(text({ max: 600 }), { description: `What it is about: ${forms}.` });

const anywhere =
  '`Issue:17`, `MergeRequest:17` or `Epic:17` by id, `group/project#3`, `group/project!7` or `group&2` by number';
const here = '`Issue:17` or `MergeRequest:17` by id, `#3` or `!7` by number';

/** What was decided about mail, to-dos, webhooks and integrations, and by which rule; kept for 30 days. */
export const ledgerRoutes = [
  defineRoute({
    method: 'get',
    path: '/notifications/ledger',
    section,
    summary: 'List what was decided about your mail and to-dos',
    docs: { description: 'List what was decided for the caller about each event in the last 30 days, newest first.' },
    access: 'user',
    params: {
      target: target(anywhere).optional(),
      created_after: dateTime().optional(),
      created_before: dateTime().optional(),
    },
    list: {},
    returns: { 200: ['LedgerEntry'] },
    handle: ({ params, page, call }) =>
      call(LedgerServiceService).listOwnEntries({
        page,
        target: params.target ?? '',
        createdAfter: params.created_after,
        createdBefore: params.created_before,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/notifications/explain',
    section,
    summary: 'Explain why you were notified, or were not',
    access: 'user',
    params: { target: target(anywhere) },
    returns: { 200: 'LedgerExplanation' },
    handle: ({ params, call }) => call(LedgerServiceService).explainOwn({ target: params.target }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/deliveries',
    section,
    summary: 'List what was decided about deliveries of a project',
    docs: {
      description: [
        'List what was decided about mail, to-dos, webhooks and integrations for each event in the last 30 days, newest',
        'first. Pages by number reach 1,000 entries; `pagination=keyset` reaches all.',
      ].join(' '),
    },
    access: { project: 'admin_project' },
    params: { target: target(here).optional() },
    list: {},
    returns: { 200: ['Delivery'] },
    handle: ({ params, access, page, call }) =>
      call(LedgerServiceService).listProjectEntries({ projectId: access.id, page, target: params.target ?? '' }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/deliveries/explain',
    section,
    summary: 'Explain why a user was notified, or was not',
    access: { project: 'admin_project' },
    params: {
      target: target(here),
      user: documented(text({ max: 255 }), { description: 'Id or username.' }),
    },
    returns: { 200: 'LedgerExplanation' },
    handle: ({ params, access, call }) =>
      call(LedgerServiceService).explainForUser({ projectId: access.id, ...params }),
  }),
];
