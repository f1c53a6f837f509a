import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { manageSettings, purgeSettings } from './application/change-settings';
import { notificationSettingStore } from './storage/notification-setting.store';
import { notificationSettingsHandler } from './transport/notification-settings.handler';

/** Builds notification settings. */
export function composeNotificationSettings({ db, observe }: Pick<Edges, 'db' | 'observe'>): Area {
  const store = notificationSettingStore(db);
  return {
    services: [notificationSettingsHandler(observe('notification_settings', manageSettings(store)))],
    start: () => [purgeSettings(store)],
  };
}
