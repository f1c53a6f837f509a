import { MetricImageServiceService } from '@switchyard/protos/alerts/v1/metric_image';
import { integer, nullable, text } from '../../http/params';
import { defineRoute, type Forward } from '../../http/route';

const path = '/projects/:id/alert_management_alerts/:alert_iid/metric_images' as const;
const onePath = `${path}/:image_id` as const;
const ofAlert = { alert_iid: integer({ min: 0 }) };
const one = { ...ofAlert, image_id: integer({ min: 0 }) };

const toAlerts = (projectId: number, iid: number, below: string): Forward => ({
  forward: { to: 'alerts', path: `/projects/${projectId}/alerts/${iid}/metric_images${below}` },
});

/** Images of metrics that are attached to alerts (G-4.12-16). */
export const metricImageRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'Alerts',
    summary: 'List the metric images of an alert',
    access: { project: 'read_alerts' },
    path_params: ofAlert,
    list: {},
    returns: { 200: ['MetricImage'] },
    handle: ({ path: at, access, page, call }) =>
      call(MetricImageServiceService).listMetricImages({ projectId: access.id, alertIid: at.alert_iid, page }),
  }),
  defineRoute({
    method: 'post',
    path,
    section: 'Alerts',
    summary: 'Attach a metric image to an alert',
    docs: { description: 'Attach a picture. Its type follows from its content.', fails: [408, 422] },
    access: { project: 'update_alerts' },
    path_params: ofAlert,
    upload: 'file',
    params: { url: text().optional(), url_text: text().optional() },
    returns: { 201: 'MetricImage' },
    handle: async ({ params, path: at, access }) => {
      const given = Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined);
      const query = new URLSearchParams(given).toString();
      return toAlerts(access.id, at.alert_iid, query === '' ? '' : `?${query}`);
    },
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/file`,
    section: 'Alerts',
    summary: 'Get the file of a metric image',
    docs: {
      contentTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/tiff', 'image/x-icon', 'image/bmp'],
    },
    access: { project: 'read_alerts' },
    path_params: one,
    returns: { 200: undefined },
    handle: async ({ path: at, access }) => toAlerts(access.id, at.alert_iid, `/${at.image_id}`),
  }),
  defineRoute({
    method: 'put',
    path: onePath,
    section: 'Alerts',
    summary: 'Change the link of a metric image',
    docs: { fails: [422], example: { url: 'https://metrics.example.com/d/disk', url_text: 'Disk' } },
    access: { project: 'update_alerts' },
    path_params: one,
    params: { url: nullable(text()).optional(), url_text: nullable(text()).optional() },
    returns: { 200: 'MetricImage' },
    handle: ({ params, path: at, access, call }) =>
      call(MetricImageServiceService).updateMetricImage({
        projectId: access.id,
        alertIid: at.alert_iid,
        imageId: at.image_id,
        url: params.url === undefined ? undefined : (params.url ?? ''),
        urlText: params.url_text === undefined ? undefined : (params.url_text ?? ''),
      }),
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    section: 'Alerts',
    summary: 'Delete a metric image',
    access: { project: 'update_alerts' },
    path_params: one,
    returns: { 204: undefined },
    handle: ({ path: at, access, call }) =>
      call(MetricImageServiceService).deleteMetricImage({
        projectId: access.id,
        alertIid: at.alert_iid,
        imageId: at.image_id,
      }),
  }),
];
