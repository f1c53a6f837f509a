import http from 'node:http';
import { measureCpu } from './cpu.mjs';
import { seedPeople, seedProject } from './seed.mjs';

const senders = 64;
const seconds = 10;
const warmUpSeconds = 5;
const rounds = 3;
const ofPayload = 100;
const knownFingerprints = 1_000;
const singlesAtLeast = 400;
const p99AtMost = 500;
const itemsAtLeast = 5_000;

const percentile = (values, share) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1];

/** A single alert in the custom format, as wide as a monitoring tool writes. */
const single = (fingerprint) =>
  JSON.stringify({
    title: `Disk of node ${fingerprint} is almost full`,
    description: 'Less than 5 % of the file system are left, and it fills by 1 % an hour.',
    service: 'storage',
    monitoring_tool: 'bench',
    hosts: [`node-${fingerprint}.example`],
    severity: 'high',
    fingerprint,
    rack: { row: 7, column: 12 },
  });

/** A message of Alertmanager with a hundred alerts. */
const group = (first) =>
  JSON.stringify({
    receiver: 'bench',
    status: 'firing',
    alerts: Array.from({ length: ofPayload }, (_, at) => ({
      status: 'firing',
      labels: { alertname: 'InstanceDown', instance: `node-${first + at}:9100`, job: 'node', severity: 'page' },
      annotations: {
        summary: `Instance node-${first + at} is down`,
        description: 'It has not answered for 5 minutes.',
      },
      startsAt: '2026-01-01T10:00:00.123Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
      fingerprint: (first + at).toString(16).padStart(16, '0'),
    })),
    groupLabels: { alertname: 'InstanceDown' },
    commonLabels: { alertname: 'InstanceDown', job: 'node' },
    commonAnnotations: {},
    externalURL: 'http://alertmanager:9093',
    version: '4',
    groupKey: '{}:{alertname="InstanceDown"}',
    truncatedAlerts: 0,
  });

/** Sends one payload; resolves with the alerts that the answer names. */
function send({ url, token, agent }, body) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(JSON.parse(text).length);
        else reject(new Error(`answered ${response.statusCode} ${text}`));
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** The processes that an alert passes until it is acknowledged: gateway, alerts, and the backends of its database. */
const pathOf = (installation, db) => async () => {
  const { rows } = await db.query(
    `select pid from pg_stat_activity where datname = 'switchyard_alerts' and pid <> pg_backend_pid()`,
  );
  return [installation.pidOf('gateway'), installation.pidOf('alerts'), ...rows.map(({ pid }) => pid)];
};

/** Keeps `senders` busy; every answer counts once its sender has it. */
async function storm(endpoint, nextBody, forSeconds) {
  const latencies = [];
  let acknowledged = 0;
  const startedAt = performance.now();
  const endAt = startedAt + forSeconds * 1_000;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (performance.now() < endAt) {
        const body = nextBody();
        const sentAt = performance.now();
        const named = await send(endpoint, body);
        acknowledged += named;
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1_000;
  return {
    perSecond: acknowledged / took,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    acknowledged,
  };
}

/** Alerts acknowledged per second, one in a payload and a hundred, with 64 senders at once (docs/adr/0011-alert-episodes.md). */
export async function alerts(installation, report) {
  const people = await seedPeople(installation, 'alerts');
  const project = await seedProject(installation, { path: 'watched', people });
  const { body: integration } = await installation.api(
    'POST',
    `/projects/${project.id}/alert_management/http_integrations`,
    { name: 'bench', active: true },
    { token: people.token },
  );
  const agent = new http.Agent({ keepAlive: true, maxSockets: senders });
  const endpoint = { url: integration.url, token: integration.token, agent };
  const db = await installation.connect('switchyard_alerts');
  const pids = pathOf(installation, db);
  let sent = 0;
  const count = (more) => {
    sent += more;
    return sent;
  };
  const kinds = [
    {
      name: 'alerts, one in a payload, all new',
      next: () => single(`new-${count(1)}`),
      atLeast: singlesAtLeast,
      target: p99AtMost,
    },
    {
      name: `alerts, one in a payload, of ${knownFingerprints}`,
      next: () => single(`known-${count(1) % knownFingerprints}`),
    },
    {
      name: `alerts, ${ofPayload} in a payload, all new`,
      next: () => group(count(ofPayload)),
      atLeast: itemsAtLeast,
    },
  ];
  let expected = 0;
  try {
    for (const { name, next, atLeast, target } of kinds) {
      expected += (await storm(endpoint, next, warmUpSeconds)).acknowledged;
      const results = [];
      for (let round = 0; round < rounds; round += 1) {
        const { result, used } = await measureCpu(pids, () => storm(endpoint, next, seconds));
        expected += result.acknowledged;
        results.push({ ...result, cpu: used / result.acknowledged });
      }
      const of = (key) => results.map((result) => result[key]);
      report.figure(`${name}, ${senders} senders`, of('perSecond'), { unit: '/s', digits: 0, atLeast });
      report.figure('    p50', of('p50'), { unit: 'ms', digits: 0 });
      report.figure('    p99', of('p99'), { unit: 'ms', digits: 0, target });
      report.figure('    CPU of gateway, alerts and its database, an alert', of('cpu'), { unit: 'ms' });
    }
    const { rows } = await db.query('select sum(events)::int as counted from alerts where project_id = $1', [
      project.id,
    ]);
    if (rows[0].counted !== expected) throw new Error(`${expected} were acknowledged, ${rows[0].counted} are stored`);
  } finally {
    agent.destroy();
    await db.end();
  }
}
