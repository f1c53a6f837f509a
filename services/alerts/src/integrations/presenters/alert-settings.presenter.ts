import { type AlertSettings, licensedSettings } from '../domain/alert-settings';

/** The public alert settings of a project (G-4.12-13), without those that its tier lacks. */
export function presentAlertSettings(settings: AlertSettings, tier: string) {
  const { createIssue, sendEmail, autoCloseIncident, fingerprinting } = licensedSettings(settings, tier);
  return {
    create_issue: createIssue,
    send_email: sendEmail,
    auto_close_incident: autoCloseIncident,
    fingerprinting,
  };
}
