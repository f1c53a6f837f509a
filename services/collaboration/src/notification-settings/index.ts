export { composeNotificationSettings } from './compose';
export { addressFor, type EffectiveSetting, effectiveSetting, type StoredSetting } from './domain/effective-setting';
export { defaultSetting, type SettingPlace } from './domain/notification-setting';
export { setLevel, settingsOf, stopDigest } from './storage/notification-setting.store';
