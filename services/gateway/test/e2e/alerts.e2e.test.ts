import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@switchyard/testkit';
import { documentedGrafana } from './support/alerting-docs';
import {
  type Alertmanager,
  describeWithAlertmanager,
  type PostedAlert,
  startAlertmanager,
} from './support/alertmanager';
import { expectSettled } from './support/oracles';
import { running } from './support/running';
import { type System, startSystem } from './support/system';

jest.setTimeout(120_000);

interface Alert {
  readonly id: number;
  readonly iid: number;
  readonly title: string;
  readonly status: string;
  readonly events: number;
  readonly ended_at: string | null;
  readonly fingerprint: string;
  readonly details: Record<string, string>;
  readonly issue: { readonly iid: number } | null;
}

interface ReceiptItem {
  readonly outcome: string;
  readonly iid: number;
  readonly title: string;
}

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** One installation: payloads from real and other senders, their alerts, incidents and mails, as clients see them. */
describe('alerts', () => {
  let system: System;
  const tokens: Record<string, string> = {};
  let integration: { id: number; url: string; token: string };
  const at = '/projects/ops%2Fshop';

  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
  async function ok(user: string, method: string, path: string, body?: unknown): Promise<any> {
    const reply = await system.api(method, path, { token: tokens[user], body });
    if (reply.status >= 300) throw new Error(`${method} ${path} ${reply.status} ${reply.text}`);
    return reply.body;
  }
  const alertsOf = (search: string): Promise<Alert[]> =>
    ok('dev', 'GET', `${at}/alert_management_alerts?order_by=created_at&sort=asc&per_page=100&search=${search}`);
  const systemNotes = async (kind: string, iid: number): Promise<string[]> =>
    (await ok('dev', 'GET', `${at}/${kind}/${iid}/notes?sort=asc`))
      .filter(({ system: by }: { system: boolean }) => by)
      .map(({ body }: { body: string }) => body);
  /** Mails so far, by the alert they report: recipients. */
  function mailsOf(title: string): string[] {
    const folder = join(system.data, 'mails');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith('.eml'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((mail) => new RegExp(`^Subject: .*: ${title}\r$`, 'm').test(mail))
      .map((mail) => /^To: .*?([\w.]+@[\w.]+)/m.exec(mail)?.[1] ?? '')
      .sort();
  }

  /** Posts as curl does: credentials of the URL become Basic. */
  function post(
    url: string,
    payload: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string; receipt: string; retryAfter: string | undefined }> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        const receipt = String(response.headers['x-alert-receipt'] ?? '');
        const retryAfter = response.headers['retry-after'];
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, receipt, retryAfter }));
      });
      sent.on('error', reject);
      sent.end(typeof payload === 'string' ? payload : JSON.stringify(payload));
    });
  }
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

  beforeAll(async () => {
    system = await startSystem({ SWITCHYARD_MAX_DEATHS: '100', SWITCHYARD_RESTART_PAUSE_MS: '200' });
    const { id: group } = (await system.api('POST', '/groups', { body: { name: 'Ops', path: 'ops' } })).body;
    const { id: project } = (
      await system.api('POST', '/projects', { body: { name: 'Shop', path: 'shop', namespace_id: group } })
    ).body;
    for (const [username, level] of [
      ['owner', 40],
      ['dev', 30],
    ] as const) {
      const password = 'correct horse battery';
      const body = { email: `${username}@example.com`, username, name: username, password };
      const { id } = (await system.api('POST', '/users', { body })).body;
      const token = { name: 't', scopes: ['api'] };
      tokens[username] = (await system.api('POST', `/users/${id}/personal_access_tokens`, { body: token })).body.token;
      await system.api('POST', `/projects/${project}/members`, { body: { user_id: id, access_level: level } });
    }
    await ok('owner', 'PUT', `${at}/alert_management/settings`, { create_issue: true, send_email: true });
    integration = await ok('owner', 'POST', `${at}/alert_management/http_integrations`, {
      name: 'Any one',
      active: true,
    });
  });
  afterAll(() => system?.close());

  it('come in by every address and every way to present the key, and by no other', async () => {
    const { url, token, id } = integration;
    const prometheus = await ok('owner', 'POST', `${at}/alert_management/http_integrations`, {
      name: 'Metrics',
      active: true,
      type: 'PROMETHEUS',
    });
    const own = new URL(url).pathname;
    const endpointId = own.split('/').at(-1) as string;
    const basic = (key: string) => ({ Authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}` });
    const addresses: [string, string][] = [
      [own, token],
      [own.replace('.json', ''), token],
      [`/ops/shop/alerts/notify/another-name/${endpointId}`, token],
      ['/ops/shop/alerts/notify.json', token],
      ['/ops/shop/alerts/notify', token],
      ['/ops/shop/prometheus/alerts/notify.json', prometheus.token],
      ['/ops/shop/prometheus/alerts/notify', prometheus.token],
    ];
    const payload = { title: 'Every way', fingerprint: ['every', 'way'] };
    let iid = 0;
    for (const [path, key] of addresses) {
      const address = `${system.url}${path}`;
      for (const send of [
        () => post(address, payload, bearer(key)),
        () => post(address, payload, basic(key)),
        () => post(address.replace('//', `//:${key}@`), payload),
      ]) {
        const reply = await send();
        iid ||= JSON.parse(reply.text)[0].iid;
        expect([path, reply.status, reply.text]).toEqual([path, 200, JSON.stringify([{ iid, title: 'Every way' }])]);
      }
      for (const [headers, status] of [
        [bearer('0'.repeat(32)), 401],
        [{}, 401],
        [basic(`${key}0`), 401],
      ] as [Record<string, string>, number][]) {
        const reply = await post(address, payload, headers);
        expect([path, reply.status, reply.text]).toEqual([path, status, '']);
      }
    }
    expect(await alertsOf('every%20way')).toMatchObject([{ iid, events: 3 * addresses.length, status: 'triggered' }]);

    const missing = await post(`${system.url}/ops/nobody/alerts/notify.json`, payload, bearer(token));
    expect([missing.status, missing.text]).toEqual([404, '']);
    const unknown = `${system.url}/ops/shop/alerts/notify/x/${'0'.repeat(16)}.json`;
    expect((await post(unknown, payload, bearer(token))).status).toBe(403);
    await ok('owner', 'PUT', `${at}/alert_management/http_integrations/${id}`, { active: false });
    expect((await post(url, payload, bearer(token))).status).toBe(403);
    await ok('owner', 'PUT', `${at}/alert_management/http_integrations/${id}`, { active: true });
    for (const refused of ['{', '[]', `{"a":"${'x'.repeat(1 << 20)}"}`, `${'['.repeat(101)}${']'.repeat(101)}`]) {
      const reply = await post(url, refused, bearer(token));
      expect([refused.slice(0, 9), reply.status, reply.text]).toEqual([refused.slice(0, 9), 400, '']);
    }

    const list = async () =>
      (await system.api('GET', `${at}/alert_management_alerts`, { token: tokens.owner as string })).status;
    const takes = (status: number) =>
      eventually(async () => expect((await post(url, payload, bearer(token))).status).toBe(status));
    await ok('owner', 'PUT', at, { monitor_access_level: 'disabled' });
    await takes(404);
    expect(await list()).toBe(403);
    await ok('owner', 'PUT', at, { monitor_access_level: 'private' });
    await takes(200);
    expect(await list()).toBe(200);
  });

  it('open incidents, which clients of issues close, and are resolved by that', async () => {
    const client = system.gitlab(tokens.dev);
    const send = async (payload: Record<string, unknown>) => {
      const reply = await post(integration.url, payload, bearer(integration.token));
      expect(reply.status).toBe(200);
      return { alerts: JSON.parse(reply.text) as { iid: number }[], receipt: reply.receipt };
    };
    const { id: environment } = await ok('owner', 'POST', `${at}/environments`, { name: 'production' });
    const payload = {
      title: 'Disk full',
      fingerprint: 'disk',
      severity: 'High',
      hosts: ['db-1', 'db-2'],
      platform_environment_name: 'production',
      disk: { mount: '/var' },
    };
    const { alerts, receipt } = await send(payload);
    const iid = alerts[0]?.iid as number;
    const items = (await ok('dev', 'GET', `${at}/alert_management/receipts/${receipt}`)).items;
    expect(items).toEqual([{ outcome: 'created', reason: null, iid, title: 'Disk full' }]);
    const opened = async (which: number) =>
      eventually(async () => {
        const alert = (await ok('dev', 'GET', `${at}/alert_management_alerts/${which}`)) as Alert;
        expect(alert.issue).not.toBeNull();
        return { alert, incident: (alert.issue as { iid: number }).iid };
      });
    const first = await opened(iid);
    expect(first.alert).toMatchObject({
      severity: 'high',
      hosts: ['db-1', 'db-2'],
      details: { 'disk/mount': '/var' },
      payload,
    });
    await eventually(async () => {
      const found = await ok('dev', 'GET', `${at}/alert_management_alerts?environment=production`);
      expect(found).toMatchObject([{ iid, environment: 'production', environment_id: environment }]);
    });
    const image = { content: new Blob([png], { type: 'image/png' }), filename: 'disk.png' };
    const { id } = await client.AlertManagement.uploadMetricImage('ops/shop', iid, image, {
      url: 'https://graphs.example/1',
    });
    await client.AlertManagement.editMetricImage('ops/shop', iid, id, { urlText: 'Disk' });
    const [shown, ...none] = await client.AlertManagement.allMetricImages('ops/shop', iid);
    expect([shown, none]).toMatchObject([
      { filename: 'disk.png', url: 'https://graphs.example/1', url_text: 'Disk' },
      [],
    ]);
    const file = await fetch(`${system.url}${shown?.file_path}`, {
      headers: { 'PRIVATE-TOKEN': tokens.dev as string },
    });
    expect([file.status, Buffer.from(await file.arrayBuffer())]).toEqual([200, png]);
    await client.AlertManagement.removeMetricImage('ops/shop', iid, id);
    expect(await client.AlertManagement.allMetricImages('ops/shop', iid)).toEqual([]);
    const [issue] = await client.Issues.all({ projectId: 'ops/shop', search: 'Disk full', issueType: 'incident' });
    expect(issue).toMatchObject({ iid: first.incident, state: 'opened', title: 'Disk full', type: 'INCIDENT' });
    await client.IssueNotes.create('ops/shop', first.incident, 'Seen.');
    await client.Issues.edit('ops/shop', first.incident, { stateEvent: 'close' });
    await eventually(async () => expect(await alertsOf('disk')).toMatchObject([{ status: 'resolved' }]));
    expect((await client.IssueNotes.all('ops/shop', first.incident)).map(({ body }) => body)).toContain('Seen.');

    const again = (await send(payload)).alerts[0]?.iid as number;
    expect(again).not.toBe(iid);
    const second = await opened(again);
    expect(second.incident).not.toBe(first.incident);
    expect((await send({ ...payload, end_time: new Date() })).alerts).toMatchObject([{ iid: again }]);
    await eventually(async () =>
      expect((await client.Issues.show(second.incident, { projectId: 'ops/shop' })).state).toBe('closed'),
    );
    await eventually(async () => {
      expect(await systemNotes('issues', second.incident)).toContain(
        'closed this incident since the end of its alert was reported',
      );
      expect(await systemNotes('alert_management_alerts', again)).toEqual([
        'raised this alert',
        `opened incident #${second.incident}`,
        'changed the status to **Resolved** since its end was reported',
        'closed the incident of this alert',
      ]);
      expect(mailsOf('Disk full')).toHaveLength(4);
    });
    expect((await send({ ...payload, status: 'resolved' })).alerts).toEqual([]);
  });

  it('come from Grafana as documented: one for each notification, which ends it', async () => {
    const grafana = documentedGrafana();
    const made = await ok('owner', 'POST', `${at}/alert_management/http_integrations`, grafana);
    const send = async (status: string, value: number): Promise<{ iid: number }> => {
      const sample = grafana.payload_example as { alerts: object[] };
      const alerts = sample.alerts.map((item) => ({ ...item, status, values: { B: value } }));
      const reply = await post(made.url, { ...sample, status, alerts, title: `[${status}:1]` }, bearer(made.token));
      expect(reply.status).toBe(200);
      return JSON.parse(reply.text)[0];
    };
    const { iid } = await send('firing', 94);
    expect(await send('firing', 97)).toMatchObject({ iid });
    expect(await send('resolved', 12)).toMatchObject({ iid });
    expect(await ok('dev', 'GET', `${at}/alert_management_alerts/${iid}`)).toMatchObject({
      title: 'CPU of web-1 is over 90 %',
      severity: 'high',
      hosts: ['web-1'],
      started_at: '2026-01-31T08:00:00.000Z',
      status: 'resolved',
      events: 2,
      format: 'custom',
    });
  });

  it('are all there when their service dies under load, each counted once, with one incident', async () => {
    const senders = 8;
    const acknowledged = new Map<string, number>();
    /** Payloads that may have been received. */
    const open = new Map<string, number>();
    const countIn = (counts: Map<string, number>, title: string) => counts.set(title, (counts.get(title) ?? 0) + 1);
    const stop = new AbortController();
    let answers = 0;
    let refused = 0;
    await ok('owner', 'PUT', `${at}/alert_management/settings`, { send_email: false });
    const sender = async (name: number) => {
      for (let turn = 0; !stop.signal.aborted; turn += 1) {
        const title = `Load ${name}-${turn % 5}`;
        const headers = { ...bearer(integration.token), 'Idempotency-Key': `${name}-${turn}` };
        const send = () => post(integration.url, { title, fingerprint: title }, headers);
        const until = Date.now() + 30_000;
        let reply = await send();
        for (; reply.retryAfter !== undefined && Date.now() < until; reply = await send()) {
          refused += 1;
          await pause(20);
        }
        expect([200, 409]).toContain(reply.status);
        if (reply.status === 409) countIn(open, title);
        else {
          answers += 1;
          countIn(acknowledged, title);
        }
      }
    };
    const load = Promise.all(Array.from({ length: senders }, (_, name) => sender(name)));
    for (let round = 0; round < 2; round += 1) {
      await eventually(() => expect(acknowledged.size).toBe(5 * senders), { within: 30_000 });
      await eventually(() => kill('alerts'), { within: 20_000 });
      const before = answers;
      await eventually(() => expect(answers).toBeGreaterThan(before + 50), { within: 30_000 });
    }
    stop.abort();
    await load;
    expect(refused).toBeGreaterThan(0);
    await expectSettled(system);
    const found = await alertsOf('Load');
    expect(found.map(({ title }) => title).sort()).toEqual([...acknowledged.keys()].sort());
    for (const { title, events } of found) {
      const least = acknowledged.get(title) as number;
      expect(events).toBeGreaterThanOrEqual(least);
      expect(events).toBeLessThanOrEqual(least + (open.get(title) ?? 0));
    }
    const incidents = await ok('dev', 'GET', `${at}/issues?issue_type=incident&search=Load&per_page=100`);
    expect(incidents.map(({ title }: { title: string }) => title).sort()).toEqual([...acknowledged.keys()].sort());
    expect(new Set(found.map(({ issue }) => issue?.iid)).size).toBe(found.length);
    await ok('owner', 'PUT', `${at}/alert_management/settings`, { send_email: true });
  });

  it('come in after the owner of their Idempotency-Keys hung, each counted once', async () => {
    const titles = Array.from({ length: 6 }, (_, number) => `Hung ${number}`);
    const send = (title: string) =>
      post(integration.url, { title, fingerprint: title }, { ...bearer(integration.token), 'Idempotency-Key': title });
    const owner = running(system, 'groups-admin') as number;
    process.kill(owner, 'SIGSTOP');
    try {
      const refused = await Promise.all(titles.map(send));
      expect(refused.map(({ status }) => status)).toEqual(titles.map(() => 503));
      await pause(8_000);
    } finally {
      process.kill(owner, 'SIGCONT');
    }
    for (const title of titles)
      await eventually(async () => expect((await send(title)).status).toBe(200), { within: 20_000 });
    const found = await alertsOf('Hung');
    expect(found.map(({ title, events }) => [title, events])).toEqual(titles.map((title) => [title, 1]));
  });

  let lastKilled = 0;
  /** Ends a process of the system without warning, once per life. */
  function kill(name: string): void {
    const pid = running(system, name);
    if (pid === undefined || pid === lastKilled) throw new Error(`${name} has not come back`);
    process.kill(pid, 'SIGKILL');
    lastKilled = pid;
  }

  describeWithAlertmanager('of the real Alertmanager', () => {
    let alertmanager: Alertmanager;
    const name = 'InstanceDown';
    const titled = (instance: string) => `${instance} is down`;
    const down = (instance: string, more: Partial<PostedAlert> = {}): PostedAlert => ({
      labels: { alertname: name, severity: 'critical', instance },
      annotations: { summary: titled(instance), description: 'No answer' },
      startsAt: new Date(started),
      ...more,
    });
    const started = Date.now() - 1_000;
    const soon = { within: 15_000, every: 100 };

    /** Items of all receipts of the metrics format. */
    async function receipts(): Promise<ReceiptItem[][]> {
      const rows = await system.query(
        'alerts',
        `select id from alert_receipts where format = 'metrics' order by received_at`,
      );
      return Promise.all(
        rows.map(async ({ id }) => (await ok('dev', 'GET', `${at}/alert_management/receipts/${id}`)).items),
      );
    }

    beforeAll(async () => {
      const made = await ok('owner', 'POST', `${at}/alert_management/http_integrations`, {
        name: 'Alertmanager',
        active: true,
        type: 'PROMETHEUS',
      });
      alertmanager = await startAlertmanager({ url: made.url, key: made.token });
    });
    afterAll(() => alertmanager?.close());

    it('fire in a group, are repeated, end one by one, fire again, and are closed by hand', async () => {
      await alertmanager.post([down('web-1'), down('web-2')]);
      const [one, two] = await eventually(async () => {
        const found = await alertsOf('is%20down');
        expect(found.map(({ title, status, issue }) => [title, status, issue === null])).toEqual(
          ['web-1', 'web-2'].map((instance) => [titled(instance), 'triggered', false]),
        );
        expect(Math.min(...found.map(({ events }) => events))).toBeGreaterThan(1);
        return found as [Alert, Alert];
      }, soon);
      expect(one.fingerprint).not.toBe(two.fingerprint);
      expect(one.details).toMatchObject({ 'labels/instance': 'web-1' });
      expect(await ok('dev', 'GET', `${at}/alert_management_alerts/${one.iid}`)).toMatchObject({
        started_at: new Date(started).toISOString(),
        ended_at: null,
        description: 'No answer',
        payload: { status: 'firing', endsAt: '0001-01-01T00:00:00Z' },
      });
      expect((await receipts())[0]).toMatchObject([
        { outcome: 'created', iid: one.iid },
        { outcome: 'created', iid: two.iid },
      ]);

      const ended = new Date();
      await alertmanager.post([down('web-1', { endsAt: ended })]);
      await eventually(async () => {
        expect(await alertsOf('is%20down')).toMatchObject([
          { iid: one.iid, status: 'resolved', ended_at: ended.toISOString() },
          { iid: two.iid, status: 'triggered', ended_at: null },
        ]);
        expect(await ok('dev', 'GET', `${at}/issues/${one.issue?.iid}`)).toMatchObject({ state: 'closed' });
        expect(await systemNotes('issues', one.issue?.iid as number)).toEqual([
          'closed this incident since the end of its alert was reported',
        ]);
        expect(await systemNotes('alert_management_alerts', one.iid)).toContain('closed the incident of this alert');
      }, soon);
      // One message, of a group that is firing: it ends one alert and counts the other.
      expect(await receipts()).toContainEqual(
        expect.arrayContaining([
          expect.objectContaining({ outcome: 'resolved', iid: one.iid }),
          expect.objectContaining({ outcome: 'counted', iid: two.iid }),
        ]),
      );

      await alertmanager.post([down('web-1', { startsAt: new Date() })]);
      await eventually(async () => {
        const [first, second, again, ...more] = await alertsOf('is%20down');
        expect([first, second, again, more]).toMatchObject([
          { iid: one.iid, status: 'resolved' },
          { iid: two.iid, status: 'triggered' },
          { title: titled('web-1'), status: 'triggered', issue: expect.anything() },
          [],
        ]);
        expect(again?.issue?.iid).not.toBe(one.issue?.iid);
      }, soon);

      await alertmanager.post([down('web-2', { endsAt: new Date() }), down('web-3')]);
      const third = await eventually(async () => {
        const [found] = await alertsOf('web-3');
        expect(found).toMatchObject({ issue: expect.anything() });
        return found as Alert;
      }, soon);
      await ok('dev', 'PUT', `${at}/issues/${third.issue?.iid}`, { state_event: 'close' });
      // What fires on is reported again by the next repetition, and is a new alert then.
      await eventually(async () => {
        const [closed, anew] = await alertsOf('web-3');
        expect([closed, anew]).toMatchObject([
          { iid: third.iid, status: 'resolved' },
          { status: 'triggered', fingerprint: third.fingerprint },
        ]);
        expect(await systemNotes('alert_management_alerts', third.iid)).toContain(
          'changed the status to **Resolved** since its incident was closed',
        );
      }, soon);
      await alertmanager.post(['web-1', 'web-3'].map((instance) => down(instance, { endsAt: new Date() })));
      await eventually(async () => {
        const found = await alertsOf('is%20down');
        expect(found.map(({ status }) => status)).not.toContain('triggered');
        const incidents = await ok('dev', 'GET', `${at}/issues?issue_type=incident&search=is%20down&per_page=100`);
        expect(incidents.map(({ state }: { state: string }) => state)).toEqual(found.map(() => 'closed'));
        expect(mailsOf(titled('web-[123]'))).toHaveLength(2 * found.length);
      }, soon);
    });

    it('are sent again while no one accepts them, until they are there once', async () => {
      const instances = Array.from({ length: 30 }, (_, index) => `app-${index}`);
      kill('alerts');
      await alertmanager.post(instances.map((instance) => down(instance)));
      await eventually(async () => expect(await alertmanager.failedRequests()).toBeGreaterThan(0), soon);
      await eventually(
        async () => {
          const found = await alertsOf('app-');
          expect(found.map(({ title }) => title).sort()).toEqual(instances.map(titled).sort());
        },
        { within: 30_000, every: 100 },
      );
    });
  });
});
