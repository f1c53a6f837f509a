import {
  digests,
  type EventFlag,
  flagsOf,
  levelProblem,
  levelsOf,
  type SettingScope,
} from '@switchyard/notification-settings';
import { NotificationSettingsServiceService } from '@switchyard/protos/collaboration/v1/notification_settings';
import { boolean, documented, nullable, oneOf, refusedAs, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const section = 'Notification settings';

/** The levels and flags of a scope as parameters. */
const settingsOf = (scope: SettingScope) => ({
  level: refusedAs(oneOf(...levelsOf(scope)), levelProblem).optional(),
  ...(Object.fromEntries(flagsOf(scope).map((flag) => [flag, boolean().optional()])) as Partial<
    Record<EventFlag, ReturnType<ReturnType<typeof boolean>['optional']>>
  >),
});

const address = (description: string) => documented(nullable(text({ max: 254 })), { description }).optional();

type Sent = Readonly<Record<string, unknown>> & { level?: string | undefined };

/** The flags among the parameters. */
const eventsOf = (sent: Sent): Record<string, boolean> =>
  Object.fromEntries(Object.entries(sent).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'));

const nowhere = { projectId: 0, groupId: 0 };

/** Settings of the caller: what mail they want (api.md 4.11). */
export const notificationSettingsRoutes = [
  defineRoute({
    method: 'get',
    path: '/notification_settings',
    section,
    summary: 'Get your notification settings',
    access: 'user',
    returns: { 200: 'NotificationSettings' },
    handle: ({ call }) => call(NotificationSettingsServiceService).getNotificationSettings(nowhere),
  }),
  defineRoute({
    method: 'put',
    path: '/notification_settings',
    section,
    summary: 'Change your notification settings',
    docs: {
      description: [
        'Change what mail the caller gets where a group or project has no level of its own. The flags count with the level',
        '`custom`. `digest` and `notified_of_own_activity` are for every place.',
      ].join(' '),
      example: { level: 'watch' },
    },
    access: 'user',
    params: {
      ...settingsOf('global'),
      notification_email: address('A confirmed address of the caller; empty: the primary one.'),
      notified_of_own_activity: boolean().optional(),
      digest: documented(oneOf(...digests), {
        description: 'One mail for each change, one for all changes of a day, or none at all, whatever the levels.',
      }).optional(),
    },
    returns: { 200: 'NotificationSettings' },
    handle: ({ params: { level: wanted, notification_email, notified_of_own_activity, digest, ...sent }, call }) =>
      call(NotificationSettingsServiceService).updateNotificationSettings({
        ...nowhere,
        level: wanted,
        notificationEmail: notification_email === null ? '' : notification_email,
        notifiedOfOwnActivity: notified_of_own_activity,
        digest,
        events: eventsOf(sent),
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/notification_settings',
    section,
    summary: 'Get your notification settings of a group',
    access: { group: 'read_group' },
    needsToken: true,
    returns: { 200: 'NotificationSettings' },
    handle: ({ access, call }) =>
      call(NotificationSettingsServiceService).getNotificationSettings({ projectId: 0, groupId: access.id }),
  }),
  defineRoute({
    method: 'put',
    path: '/groups/:id/notification_settings',
    section,
    summary: 'Change your notification settings of a group',
    docs: { example: { level: 'watch' } },
    access: { group: 'read_group' },
    params: {
      ...settingsOf('group'),
      notification_email: address(
        'Where mail about the group and what lies below it goes: a confirmed address of the caller; empty: as above it.',
      ),
    },
    returns: { 200: 'NotificationSettings' },
    handle: ({ params: { level: wanted, notification_email, ...sent }, access, call }) =>
      call(NotificationSettingsServiceService).updateNotificationSettings({
        projectId: 0,
        groupId: access.id,
        level: wanted,
        notificationEmail: notification_email === null ? '' : notification_email,
        events: eventsOf(sent),
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/notification_settings',
    section,
    summary: 'Get your notification settings of a project',
    access: { project: 'read_project' },
    needsToken: true,
    returns: { 200: 'NotificationSettings' },
    handle: ({ access, call }) =>
      call(NotificationSettingsServiceService).getNotificationSettings({ projectId: access.id, groupId: 0 }),
  }),
  defineRoute({
    method: 'put',
    path: '/projects/:id/notification_settings',
    section,
    summary: 'Change your notification settings of a project',
    docs: { example: { level: 'watch' } },
    access: { project: 'read_project' },
    params: settingsOf('project'),
    returns: { 200: 'NotificationSettings' },
    handle: ({ params: { level: wanted, ...sent }, access, call }) =>
      call(NotificationSettingsServiceService).updateNotificationSettings({
        projectId: access.id,
        groupId: 0,
        level: wanted,
        events: eventsOf(sent),
      }),
  }),
];
