// Two dashboards of Grafana, over the metrics that docs/operations.md lists.

const source = { type: 'prometheus', uid: '$datasource' };
const columns = 2;
const size = { w: 24 / columns, h: 8 };

/** Curves of one unit over time; `queries` are [legend, expression]. */
const curves = (title, unit, ...queries) => ({ title, unit, queries });

const panel = ({ title, unit, queries }, at) => ({
  id: at + 1,
  type: 'timeseries',
  title,
  datasource: source,
  gridPos: { ...size, x: (at % columns) * size.w, y: Math.floor(at / columns) * size.h },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: queries.map(([legendFormat, expr], index) => ({
    refId: String.fromCharCode(65 + index),
    datasource: source,
    expr,
    legendFormat,
    ...(expr.includes('_bucket[') ? { exemplar: true } : {}),
  })),
});

const dashboard = (uid, title, panels) => ({
  uid,
  title,
  tags: ['switchyard'],
  schemaVersion: 39,
  timezone: 'browser',
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
  panels: panels.map(panel),
});

const quantile = (share, metric, by) =>
  `histogram_quantile(${share}, sum by (le${by ? `, ${by}` : ''}) (rate(${metric}_bucket[$__rate_interval])))`;
const http = 'switchyard_http_request_duration_seconds';
const slowest = (metric, by) => `topk(10, ${quantile(0.95, metric, by)})`;

/** File → dashboard. */
export const DASHBOARDS = {
  'switchyard-requests.json': dashboard('switchyard-requests', 'Switchyard: requests', [
    curves('Requests', 'reqps', ['{{status}}', `sum by (status) (rate(${http}_count[$__rate_interval]))`]),
    curves(
      'Time of requests',
      's',
      ['p50', quantile(0.5, http)],
      ['p95', quantile(0.95, http)],
      ['p99', quantile(0.99, http)],
    ),
    curves('Slowest routes, p95', 's', ['{{method}} {{route}}', slowest(http, 'method, route')]),
    curves('Slowest calls between services, p95', 's', [
      '{{method}}',
      slowest('switchyard_rpc_duration_seconds', 'method'),
    ]),
    curves('Slowest statements, p95', 's', ['{{name}}', slowest('switchyard_sql_statement_seconds', 'name')]),
    curves(
      'Requests at the services',
      'short',
      ['running {{service}}', 'sum by (service) (switchyard_requests_running)'],
      ['waiting {{service}}', 'sum by (service) (switchyard_requests_waiting)'],
    ),
    curves('Requests refused', 'reqps', ['refused', 'sum(rate(switchyard_requests_refused_total[$__rate_interval]))']),
    curves('Delay of timers, p99', 's', ['{{job}}', 'max by (job) (nodejs_eventloop_lag_p99_seconds)']),
    curves('CPU', 'short', ['{{job}}', 'sum by (job) (rate(process_cpu_seconds_total[$__rate_interval]))']),
    curves('Memory', 'bytes', ['{{job}}', 'sum by (job) (process_resident_memory_bytes)']),
  ]),
  'switchyard-trains.json': dashboard('switchyard-trains', 'Switchyard: merge trains', [
    curves('Landings verified', 'ops', ['landings', 'sum(rate(switchyard_landings_verified_total[$__rate_interval]))']),
    curves(
      'Trains that land nothing, landings that differ',
      'short',
      ['stuck', 'max(switchyard_merge_trains_stuck)'],
      ['differing', 'max(switchyard_landings_differing)'],
    ),
    curves('Slowest use cases of trains, p95', 's', [
      '{{use_case}}',
      `topk(10, ${quantile(0.95, 'switchyard_use_case_duration_seconds', 'use_case').replace('_bucket[', '_bucket{use_case=~".*[Tt]rain.*"}[')})`,
    ]),
    curves(
      'Ref changes that are not settled',
      'short',
      ['open', 'max(switchyard_ref_changes_open)'],
      ['age of the oldest, s', 'max(switchyard_ref_changes_open_age_seconds)'],
    ),
    curves('git processes', 'short', ['{{for}}', 'sum by (for) (switchyard_git_processes)']),
    curves(
      'Places for git',
      'short',
      ['taken {{kind}}', 'sum by (kind) (switchyard_git_places_taken)'],
      ['waiting {{kind}}', 'sum by (kind) (switchyard_git_waiting)'],
    ),
    curves('Events that groups have yet to receive', 'short', [
      '{{group}}',
      'max by (group) (switchyard_consumer_lag_events)',
    ]),
    curves('Age of the oldest event that is not published', 's', [
      '{{job}}',
      'max by (job) (switchyard_outbox_backlog_age_seconds)',
    ]),
  ]),
};
