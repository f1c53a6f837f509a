import { flagsOf, isOn, kindOfPlace, type SettingPlace, type ShownSetting } from '../domain/notification-setting';

/** Notification settings (G-2-31): the flags with the level `custom` alone, the address where there is one to choose. */
export function presentSetting({ setting, email, tier }: ShownSetting, place: SettingPlace) {
  const kind = kindOfPlace(place);
  const { level, events } = setting;
  return {
    level,
    ...(level === 'custom'
      ? { events: Object.fromEntries(flagsOf(place, tier).map((flag) => [flag, isOn(events, flag)])) }
      : {}),
    ...(kind === 'global'
      ? {
          notification_email: setting.email ?? email,
          notified_of_own_activity: setting.ownActivity,
          digest: setting.digest,
        }
      : {}),
    ...(kind === 'group' && setting.email !== undefined ? { notification_email: setting.email } : {}),
  };
}
