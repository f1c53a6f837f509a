import type { AlertSettings } from '../domain/alert-settings';

/** The public alert settings of a project (G-4.12-13). */
export const presentAlertSettings = (settings: AlertSettings) => ({
  create_issue: settings.createIssue,
  send_email: settings.sendEmail,
  auto_close_incident: settings.autoCloseIncident,
  fingerprinting: settings.fingerprinting,
});
