import { NotificationSettingsServiceService } from '@switchyard/protos/collaboration/v1/notification_settings';
import { entity, implement, type ServiceImplementation, signedIn } from '@switchyard/rpc';
import type { SettingUseCases } from '../application/change-settings';
import { eventFlags } from '../domain/notification-setting';
import { presentSetting } from '../presenters/notification-setting.presenter';

/** Serves `NotificationSettingsService`. */
export const notificationSettingsHandler = (settings: SettingUseCases): ServiceImplementation =>
  implement(NotificationSettingsServiceService, {
    getNotificationSettings: async ({ projectId, groupId }, context) => {
      const place = { projectId, groupId };
      return entity(presentSetting(await settings.get(signedIn(context).actor.userId, place), place));
    },
    updateNotificationSettings: async ({ projectId, groupId, events, ...sent }, context) => {
      const place = { projectId, groupId };
      const change = {
        level: sent.level,
        events: Object.fromEntries(
          eventFlags.flatMap((flag) => (flag in events ? [[flag, events[flag] === true]] : [])),
        ),
        email: sent.notificationEmail,
        ownActivity: sent.notifiedOfOwnActivity,
        digest:
          sent.digest === undefined ? undefined : sent.digest === 'daily' ? ('daily' as const) : ('none' as const),
      };
      return entity(presentSetting(await settings.update(signedIn(context).actor.userId, place, change), place));
    },
  });
