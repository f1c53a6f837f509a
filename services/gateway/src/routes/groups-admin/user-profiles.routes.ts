import { GetIssuesStatisticsRequest, IssueServiceService } from '@switchyard/protos/collaboration/v1/issue';
import { type SetUserStatusRequest, UserProfileServiceService } from '@switchyard/protos/groups_admin/v1/user_profile';
import {
  ListMergeRequestsRequest,
  MergeRequestServiceService,
} from '@switchyard/protos/merge_requests/v1/merge_request';
import { entity } from '@switchyard/rpc';
import type { z } from 'zod';
import { date, documented, integer, nullable, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost } from '../field-facts';
import { userFilter } from '../issuable-filters';

const user = { id: integer() };

const hour = 3_600;
const day = 24 * hour;

/** Seconds after which a status is cleared, by their public names. */
const clearAfter = {
  '30_minutes': hour / 2,
  '3_hours': 3 * hour,
  '8_hours': 8 * hour,
  '1_day': day,
  '3_days': 3 * day,
  '7_days': 7 * day,
  '30_days': 30 * day,
} as const;

type ClearAfter = keyof typeof clearAfter;
const clearAfterNames = Object.keys(clearAfter) as [ClearAfter, ...ClearAfter[]];

const status = {
  emoji: documented(text(), { description: 'Name of an emoji; `speech_balloon` by default.' }).optional(),
  message: documented(text(), atMost(100)).optional(),
  availability: nullable(oneOf('not_set', 'busy')).optional(),
  clear_status_after: nullable(oneOf(...clearAfterNames)).optional(),
};

const statusOf = (sent: z.infer<z.ZodObject<typeof status>>): Omit<SetUserStatusRequest, 'partial'> => ({
  emoji: sent.emoji,
  message: sent.message,
  availability: sent.availability === null ? '' : sent.availability,
  clearAfterSeconds:
    sent.clear_status_after === undefined
      ? undefined
      : sent.clear_status_after === null
        ? 0
        : clearAfter[sent.clear_status_after],
});

const statusRoute = (method: 'put' | 'patch', partial: boolean) =>
  defineRoute({
    method,
    path: '/user/status',
    section: 'Users',
    summary: partial ? 'Change the status of the current user' : 'Set the status of the current user',
    docs: {
      description: partial
        ? 'Change the status. Fields that are left out keep their value.'
        : 'Set the status. Fields that are left out are cleared.',
      example: { emoji: 'coffee', message: 'Back soon', clear_status_after: '30_minutes' },
    },
    access: 'user',
    params: status,
    returns: { 200: 'UserStatus' },
    handle: ({ params, call }) => call(UserProfileServiceService).setUserStatus({ ...statusOf(params), partial }),
  });

const followRoute = (follow: boolean) =>
  defineRoute({
    method: 'post',
    path: follow ? '/users/:id/follow' : '/users/:id/unfollow',
    section: 'Users',
    summary: follow ? 'Follow a user' : 'Follow a user no longer',
    docs: {
      description: follow
        ? 'Follow a user. 304 when the caller follows them already.'
        : 'Follow a user no longer. 304 when the caller does not follow them.',
    },
    access: 'user',
    path_params: user,
    returns: { 201: 'UserReference', 304: undefined },
    handle: ({ path, call }) =>
      follow
        ? call(UserProfileServiceService).followUser({ userId: path.id })
        : call(UserProfileServiceService).unfollowUser({ userId: path.id }),
  });

const followsRoute = (following: boolean) =>
  defineRoute({
    method: 'get',
    path: following ? '/users/:id/following' : '/users/:id/followers',
    section: 'Users',
    summary: following ? 'List the users whom a user follows' : 'List the users who follow a user',
    access: 'user',
    scopes: ['read_user'],
    path_params: user,
    list: {},
    returns: { 200: ['UserReference'] },
    handle: ({ path, page, call }) => call(UserProfileServiceService).listFollows({ page, userId: path.id, following }),
  });

/** Months of activities that are listed by default. */
const activityMonths = 6;

function monthsAgo(months: number): string {
  const then = new Date();
  then.setUTCMonth(then.getUTCMonth() - months);
  return then.toISOString().slice(0, 10);
}

const jsonOf = (reply: { json: Buffer }) => JSON.parse(reply.json.toString() || '{}');

/** Status, follows, activities and counts of users (G §10 Users). */
export const userProfileRoutes = [
  defineRoute({
    method: 'get',
    path: '/user/status',
    section: 'Users',
    summary: 'Get the status of the current user',
    access: 'user',
    scopes: ['read_user'],
    returns: { 200: 'UserStatus' },
    handle: ({ call }) => call(UserProfileServiceService).getUserStatus({ user: '' }),
  }),
  statusRoute('put', false),
  statusRoute('patch', true),
  defineRoute({
    method: 'get',
    path: '/users/:id/status',
    section: 'Users',
    summary: 'Get the status of a user',
    access: 'public',
    scopes: ['read_user'],
    path_params: { id: text({ notEmpty: true }) },
    returns: { 200: 'UserStatus' },
    handle: ({ path, call }) => call(UserProfileServiceService).getUserStatus({ user: path.id }),
  }),
  followRoute(true),
  followRoute(false),
  followsRoute(false),
  followsRoute(true),
  defineRoute({
    method: 'get',
    path: '/user/activities',
    section: 'Users',
    summary: 'List when users were active last',
    docs: {
      description:
        'Users with the last day on which they were active, earliest first; from half a year ago by default.',
    },
    access: 'admin',
    params: { from: date().optional() },
    list: {},
    returns: { 200: ['UserActivity'] },
    handle: ({ params, page, call }) =>
      call(UserProfileServiceService).listUserActivities({ page, from: params.from ?? monthsAgo(activityMonths) }),
  }),
  defineRoute({
    method: 'get',
    path: '/users/:id/associations_count',
    section: 'Users',
    summary: 'Count what belongs to a user',
    docs: {
      description:
        'Groups and projects that the user is a member of, and the issues and merge requests that they opened and the caller sees; of merge requests at most 10,001. For administrators and the user.',
    },
    access: 'user',
    path_params: user,
    returns: { 200: 'AssociationsCount' },
    handle: async ({ path, call }) => {
      const { groups, projects } = await call(UserProfileServiceService).countMemberships({ userId: path.id });
      const filter = { author: userFilter(path.id, undefined) };
      const [issues, mergeRequests] = await Promise.all([
        call(IssueServiceService).getIssuesStatistics(GetIssuesStatisticsRequest.fromPartial({ filter })),
        call(MergeRequestServiceService).listMergeRequests(
          ListMergeRequestsRequest.fromPartial({ filter, page: { page: 1, perPage: 1 }, simple: true }),
        ),
      ]);
      return entity({
        groups_count: groups,
        projects_count: projects,
        issues_count: jsonOf(issues).statistics?.counts?.all ?? 0,
        merge_requests_count: mergeRequests.page?.total ?? 10_001,
      });
    },
  }),
];
