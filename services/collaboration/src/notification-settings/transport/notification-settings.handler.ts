import { digests, eventFlags } from '@switchyard/notification-settings';
import { NotificationSettingsServiceService } from '@switchyard/protos/collaboration/v1/notification_settings';
import { entity, implement, type ServiceImplementation, signedIn } from '@switchyard/rpc';
import type { SettingUseCases } from '../application/change-settings';
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
        digest: digests.find((digest) => digest === sent.digest),
      };
      return entity(presentSetting(await settings.update(signedIn(context).actor.userId, place, change), place));
    },
  });
