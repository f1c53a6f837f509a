import { type Expectation, row } from '../expectation';
import { discussionRows, noteRows, reactionRows } from '../noteable-rows';

/** Operations of the service alerts. */
export const rows: readonly Expectation[] = [
  // Alerts
  row('GET /projects/:id/alert_management/http_integrations', 'maintainerRead', 'G-4.12-17'),
  row('POST /projects/:id/alert_management/http_integrations', 'maintainerWrite', 'G-4.12-17', {
    name: 'n',
    active: true,
  }),
  row('GET /projects/:id/alert_management/http_integrations/:integration_id', 'maintainerRead', 'G-4.12-17'),
  row('PUT /projects/:id/alert_management/http_integrations/:integration_id', 'maintainerWrite', 'G-4.12-17', {
    name: 'n',
  }),
  row('DELETE /projects/:id/alert_management/http_integrations/:integration_id', 'maintainerWrite', 'G-4.12-17'),
  row(
    'POST /projects/:id/alert_management/http_integrations/:integration_id/reset_token',
    'maintainerWrite',
    'G-4.12-17',
  ),
  row('POST /projects/:id/alert_management/http_integrations/:integration_id/test', 'developerWrite', 'G-4.12-17', {
    payload: { a: 1 },
  }),
  row('POST /projects/:id/alert_management/http_integrations/:integration_id/preview', 'maintainerWrite', 'G-4.12-17', {
    payload: { a: 1 },
  }),
  row('GET /projects/:id/alert_management/settings', 'maintainerRead', 'G-4.12-17'),
  row('PUT /projects/:id/alert_management/settings', 'maintainerWrite', 'G-4.12-17', { send_email: true }),

  row('GET /projects/:id/alert_management_alerts', 'developerRead', 'G-4.12-17'),
  row('GET /projects/:id/alert_management_alerts/:alert_iid', 'developerRead', 'G-4.12-17'),
  row('PUT /projects/:id/alert_management_alerts/:alert_iid', 'developerWrite', 'G-4.12-17', { status: 'resolved' }),
  row('POST /projects/:id/alert_management_alerts/:alert_iid/issue', 'developerWrite', 'G-4.12-17'),
  row('POST /projects/:id/alert_management_alerts/:alert_iid/todo', 'developerWrite', 'G-4.9-3'),
  ...noteRows('/projects/:id/alert_management_alerts/:alert_iid', 'developerNotes', 'developerWrite'),
  ...discussionRows('/projects/:id/alert_management_alerts/:alert_iid', 'developerNotes', 'developerWrite'),
  ...reactionRows(
    '/projects/:id/alert_management_alerts/:alert_iid/notes/:note_id',
    'developerNotes',
    'developerWrite',
  ),
  row('GET /projects/:id/alert_management_alerts/:alert_iid/metric_images', 'developerRead', 'G-4.12-16'),
  row('POST /projects/:id/alert_management_alerts/:alert_iid/metric_images', 'developerWrite', 'G-4.12-16'),
  row(
    'GET /projects/:id/alert_management_alerts/:alert_iid/metric_images/:image_id/file',
    'developerRead',
    'G-4.12-16',
  ),
  row('PUT /projects/:id/alert_management_alerts/:alert_iid/metric_images/:image_id', 'developerWrite', 'G-4.12-16'),
  row('DELETE /projects/:id/alert_management_alerts/:alert_iid/metric_images/:image_id', 'developerWrite', 'G-4.12-16'),
  row('GET /projects/:id/alert_management/receipts/:receipt_id', 'developerRead', 'G-4.12-17'),
];
