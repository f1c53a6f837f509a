import { EpicServiceService } from '@switchyard/protos/collaboration/v1/epic';
import { atLeastOne, mutuallyExclusive } from '../../../http/check-parameters';
import {
  boolean,
  csv,
  csvOrNoneAny,
  date,
  dateTime,
  documented,
  hash,
  integer,
  nullable,
  oneOf,
  text,
  textOrNoneAny,
} from '../../../http/params';
import { alsoBelow, defineRoute } from '../../../http/route';
import { afterEpoch, color, longText, longTextBodyLimit, oneLine } from '../../field-facts';
import { titleFilter, userFilter, userNamed } from '../../issuable-filters';
import { epicsHome } from './epics-home';

/** Path of the epics of a group. */
const groupPath = epicsHome.path;

/** Path of an epic. */
const onePath = `${groupPath}/:epic_iid` as const;

/** What names an epic in a path. */
const epic = { epic_iid: integer() };

const dates = {
  start_date_is_fixed: boolean().optional(),
  start_date_fixed: nullable(date()).optional(),
  due_date_is_fixed: boolean().optional(),
  due_date_fixed: nullable(date()).optional(),
};

interface Dates {
  readonly start_date_is_fixed?: boolean | undefined;
  readonly start_date_fixed?: string | null | undefined;
  readonly due_date_is_fixed?: boolean | undefined;
  readonly due_date_fixed?: string | null | undefined;
}

const datesOf = (params: Dates) => ({
  startDateIsFixed: params.start_date_is_fixed,
  startDateFixed: params.start_date_fixed === null ? '' : params.start_date_fixed,
  dueDateIsFixed: params.due_date_is_fixed,
  dueDateFixed: params.due_date_fixed === null ? '' : params.due_date_fixed,
});

const fields = {
  description: documented(nullable(text()), longText).optional(),
  labels: csv().optional(),
  color: documented(text({ notEmpty: true }), color).optional(),
  confidential: boolean().optional(),
  parent_id: nullable(integer({ min: 0 })).optional(),
  ...dates,
};

const updatable = [
  'add_labels',
  'color',
  'confidential',
  'description',
  'due_date_fixed',
  'due_date_is_fixed',
  'labels',
  'parent_id',
  'remove_labels',
  'start_date_fixed',
  'start_date_is_fixed',
  'state_event',
  'title',
  'updated_at',
];

/** Epics (api.md 4.18). */
export const epicRoutes = [
  defineRoute({
    method: 'get',
    path: groupPath,
    section: 'Epics',
    summary: 'List the epics of a group',
    access: { group: 'read_epic' },
    tier: 'premium',
    params: {
      author_id: integer().optional(),
      author_username: text().optional(),
      labels: csvOrNoneAny().optional(),
      with_labels_details: boolean().default(false),
      search: text().optional(),
      state: oneOf('opened', 'closed', 'all').default('all'),
      confidential: boolean().optional(),
      created_after: dateTime().optional(),
      created_before: dateTime().optional(),
      updated_after: dateTime().optional(),
      updated_before: dateTime().optional(),
      include_ancestor_groups: boolean().default(false),
      include_descendant_groups: boolean().default(true),
      my_reaction_emoji: textOrNoneAny().optional(),
      not: hash({
        author_id: integer().optional(),
        author_username: csv().optional(),
        labels: csvOrNoneAny().optional(),
      }).optional(),
    },
    relations: [mutuallyExclusive('author_id', 'author_username')],
    limitWith: { parameter: 'search', limit: 'search' },
    list: { orderBy: ['created_at', 'updated_at', 'title'], sort: 'desc' },
    returns: { 200: ['EpicListed'] },
    handle: ({ params, access, page, call }) =>
      call(EpicServiceService).listEpics({
        groupId: access.id,
        includeAncestorGroups: params.include_ancestor_groups,
        includeDescendantGroups: params.include_descendant_groups,
        withLabelsDetails: params.with_labels_details,
        page,
        filter: {
          state: params.state === 'all' ? '' : params.state,
          author: userNamed(params.author_id, params.author_username),
          labels: titleFilter(params.labels),
          search: params.search ?? '',
          searchTitle: true,
          searchDescription: true,
          confidential: params.confidential,
          reaction: titleFilter(params.my_reaction_emoji),
          createdAfter: params.created_after,
          createdBefore: params.created_before,
          updatedAfter: params.updated_after,
          updatedBefore: params.updated_before,
          not: params.not && {
            labels: titleFilter(params.not.labels),
            author: userFilter(params.not.author_id, params.not.author_username),
          },
        },
      }),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section: 'Epics',
    summary: 'Get an epic',
    access: { group: 'read_epic' },
    tier: 'premium',
    path_params: epic,
    returns: { 200: 'Epic' },
    handle: ({ path, access, call }) => call(EpicServiceService).getEpic({ groupId: access.id, iid: path.epic_iid }),
  }),
  defineRoute({
    method: 'post',
    path: groupPath,
    section: 'Epics',
    summary: 'Create an epic',
    docs: {
      description: 'Create an epic. Labels that do not exist yet are created in the group.',
      example: { title: 'A new shop', labels: ['shop'], due_date_is_fixed: true, due_date_fixed: '2030-01-31' },
    },
    access: { group: 'manage_epic' },
    tier: 'premium',
    params: {
      title: documented(text({ notEmpty: true }), oneLine),
      ...fields,
      created_at: documented(dateTime(), afterEpoch).optional(),
    },
    bodyLimit: longTextBodyLimit,
    returns: { 201: 'Epic' },
    handle: ({ params, access, call }) =>
      call(EpicServiceService).createEpic({
        groupId: access.id,
        title: params.title,
        description: params.description ?? '',
        labels: params.labels ?? [],
        color: params.color ?? '',
        confidential: params.confidential ?? false,
        createdAt: params.created_at,
        dates: datesOf(params),
        parentId: params.parent_id ?? 0,
      }),
  }),
  defineRoute({
    method: 'put',
    path: onePath,
    section: 'Epics',
    summary: 'Update an epic',
    docs: {
      description: 'Update an epic, or close and reopen it. At least one parameter must be sent.',
      example: { title: 'A new shop', state_event: 'close' },
    },
    access: { group: 'manage_epic' },
    tier: 'premium',
    path_params: epic,
    params: {
      title: documented(text({ notEmpty: true }), oneLine).optional(),
      state_event: oneOf('close', 'reopen').optional(),
      ...fields,
      add_labels: csv().optional(),
      remove_labels: csv().optional(),
      updated_at: documented(dateTime(), afterEpoch).optional(),
    },
    relations: [atLeastOne(...updatable)],
    bodyLimit: longTextBodyLimit,
    returns: { 200: 'Epic' },
    handle: ({ params, path, access, call }) =>
      call(EpicServiceService).updateEpic({
        groupId: access.id,
        iid: path.epic_iid,
        title: params.title,
        description: params.description === null ? '' : params.description,
        stateEvent: params.state_event,
        labels: params.labels === undefined ? undefined : { titles: params.labels },
        addLabels: params.add_labels ?? [],
        removeLabels: params.remove_labels ?? [],
        confidential: params.confidential,
        color: params.color,
        dates: datesOf(params),
        parentId: params.parent_id === null ? 0 : params.parent_id,
        updatedAt: params.updated_at,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section: 'Epics',
    summary: 'Delete an epic',
    docs: { description: 'Delete an epic. Its issues and child epics are kept.', fails: [412] },
    access: { group: 'manage_epic' },
    tier: 'premium',
    path_params: epic,
    returns: { 204: undefined },
    handle: ({ path, access, unmodifiedSince, call }) =>
      call(EpicServiceService).deleteEpic({
        groupId: access.id,
        iid: path.epic_iid,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  ...(['subscribe', 'unsubscribe'] as const).map((verb) =>
    defineRoute({
      method: 'post',
      path: `${onePath}/${verb}`,
      section: 'Epics',
      summary: verb === 'subscribe' ? 'Subscribe to an epic' : 'Unsubscribe from an epic',
      access: { group: 'read_epic' },
      tier: 'premium',
      path_params: epic,
      returns: { 201: 'Epic', 304: undefined },
      handle: ({ path, access, call }) =>
        call(EpicServiceService).setEpicSubscription({
          groupId: access.id,
          iid: path.epic_iid,
          subscribed: verb === 'subscribe',
        }),
    }),
  ),
  defineRoute({
    method: 'get',
    path: `${onePath}/participants`,
    section: 'Epics',
    summary: 'List participants of an epic',
    access: { group: 'read_epic' },
    tier: 'premium',
    path_params: epic,
    list: { orderBy: [] },
    returns: { 200: ['IssueUser'] },
    handle: ({ path, access, page, call }) =>
      call(EpicServiceService).listEpicParticipants({ groupId: access.id, iid: path.epic_iid, page }),
  }),
].map(alsoBelow(epicsHome));
