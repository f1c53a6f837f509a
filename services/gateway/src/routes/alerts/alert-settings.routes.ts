import { AlertSettingsServiceService } from '@switchyard/protos/alerts/v1/alert_settings';
import { atLeastOne } from '../../http/check-parameters';
import { boolean } from '../../http/params';
import { defineRoute } from '../../http/route';

const path = '/projects/:id/alert_management/settings' as const;

/** What a project wants done about its alerts (G-4.12-13). */
export const alertSettingsRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'Alerts',
    summary: 'Get the alert settings of a project',
    access: { project: 'read_alert_configuration' },
    returns: { 200: 'AlertSettings' },
    handle: ({ access, call }) => call(AlertSettingsServiceService).getAlertSettings({ projectId: access.id }),
  }),
  defineRoute({
    method: 'put',
    path,
    section: 'Alerts',
    summary: 'Change the alert settings of a project',
    access: { project: 'admin_alerts' },
    params: {
      create_issue: boolean().optional(),
      send_email: boolean().optional(),
      auto_close_incident: boolean().optional(),
      fingerprinting: boolean().optional(),
    },
    relations: [atLeastOne('create_issue', 'send_email', 'auto_close_incident', 'fingerprinting')],
    returns: { 200: 'AlertSettings' },
    handle: ({ params, access, call }) =>
      call(AlertSettingsServiceService).updateAlertSettings({
        projectId: access.id,
        createIssue: params.create_issue,
        sendEmail: params.send_email,
        autoCloseIncident: params.auto_close_incident,
        fingerprinting: params.fingerprinting,
      }),
  }),
];
