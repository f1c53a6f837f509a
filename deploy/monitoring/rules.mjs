// What is worth an alarm: the charts make a PrometheusRule of it, and the compose file a file of rules.

/**
 * @typedef {object} Rule
 * @property {string} alert
 * @property {string} expr each replica reads the same database, so what tables say is taken once
 * @property {string} for
 * @property {'warning' | 'critical'} severity
 * @property {string} summary
 * @property {string} runbook heading of docs/operations.md, as its address
 */

/** @type {readonly Rule[]} */
const RULES = [
  {
    alert: 'SwitchyardRequestsFail',
    expr: 'sum(rate(switchyard_http_request_duration_seconds_count{status=~"5.."}[5m])) / sum(rate(switchyard_http_request_duration_seconds_count[5m])) > 0.01',
    for: '10m',
    severity: 'critical',
    summary: '{{ $value | humanizePercentage }} of all requests fail',
    runbook: 'health-and-metrics',
  },
  {
    alert: 'SwitchyardRequestsRefused',
    expr: 'sum(rate(switchyard_requests_refused_total[5m])) > 0',
    for: '10m',
    severity: 'warning',
    summary: '{{ $value }} requests a second find no free slot',
    runbook: 'limits-of-requests',
  },
  {
    alert: 'SwitchyardOutboxWaits',
    expr: 'max by (job) (switchyard_outbox_backlog_age_seconds) > 30',
    for: '5m',
    severity: 'critical',
    summary: '{{ $labels.job }} has not published an event for {{ $value }} s',
    runbook: 'health-and-metrics',
  },
  {
    alert: 'SwitchyardNothingPublishes',
    expr: 'max by (job) (switchyard_relay_active) < 1',
    for: '5m',
    severity: 'critical',
    summary: 'No replica of {{ $labels.job }} publishes events',
    runbook: 'health-and-metrics',
  },
  {
    alert: 'SwitchyardConsumerFallsBehind',
    expr: 'max by (group) (switchyard_consumer_lag_events) > 1000 and max by (group) (deriv(switchyard_consumer_lag_events[30m])) > 0',
    for: '30m',
    severity: 'warning',
    summary: '{{ $labels.group }} has {{ $value }} events to receive, and their number grows',
    runbook: 'dead-letters',
  },
  {
    alert: 'SwitchyardChangesWait',
    expr: 'max by (owner) (switchyard_changes_waiting_seconds) > 300',
    for: '5m',
    severity: 'warning',
    summary: 'Hooks about {{ $labels.owner }} wait for {{ $value }} s',
    runbook: 'health-and-metrics',
  },
  {
    alert: 'SwitchyardRefChangesOpen',
    expr: 'max(switchyard_ref_changes_open_age_seconds) > 60',
    for: '5m',
    severity: 'critical',
    summary: 'A change of a ref is not settled for {{ $value }} s',
    runbook: 'git',
  },
  {
    alert: 'SwitchyardMergeTrainStuck',
    expr: 'max(switchyard_merge_trains_stuck) > 0',
    for: '5m',
    severity: 'critical',
    summary: '{{ $value }} merge trains have green results and land nothing',
    runbook: 'merge-trains-that-land-nothing',
  },
  {
    alert: 'SwitchyardMergeTrainsStop',
    expr: 'sum(increase(switchyard_merge_trains_stuck_total[1d])) > 3',
    for: '1h',
    severity: 'warning',
    summary: 'Merge trains stopped {{ $value }} times within a day',
    runbook: 'merge-trains-that-land-nothing',
  },
  {
    alert: 'SwitchyardLandingsDiffer',
    expr: 'max(switchyard_landings_differing) > 0',
    for: '1m',
    severity: 'critical',
    summary: '{{ $value }} landings differ from their receipts',
    runbook: 'landing-receipts-and-their-verification',
  },
  {
    alert: 'SwitchyardMailsAbandoned',
    expr: 'sum(increase(switchyard_mails_dead_total[1h])) > 0',
    for: '1m',
    severity: 'warning',
    summary: '{{ $value }} mails were abandoned within an hour',
    runbook: 'mail',
  },
  {
    alert: 'SwitchyardAlertsWait',
    expr: 'max(switchyard_alert_items_waiting) > 15000',
    for: '5m',
    severity: 'warning',
    summary: '{{ $value }} items of alerts wait to be written; from 20,000 on senders have to retry',
    runbook: 'health-and-metrics',
  },
];

/**
 * The rules as Prometheus reads them.
 *
 * @param {string} runbooks address of docs/operations.md
 */
export const ruleGroups = (runbooks) => ({
  groups: [
    {
      name: 'switchyard',
      rules: RULES.map(({ alert, expr, for: pending, severity, summary, runbook }) => ({
        alert,
        expr,
        for: pending,
        labels: { severity },
        annotations: { summary, runbook_url: `${runbooks}#${runbook}` },
      })),
    },
  ],
});
