export type { CurrentSettings } from './application/manage-settings';
export { composeSettings } from './compose';
export { type EmailDomains, emailRefusals, type InstanceSettings, settingDefaults } from './domain/instance-settings';
