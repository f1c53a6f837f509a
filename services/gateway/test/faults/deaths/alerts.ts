import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { alertPoints, metricImagePoints } from '../../e2e/support/fault-points';
import { expectSettled } from '../../e2e/support/oracles';
import { atEach, type Chosen, type Ground } from './ground';

/** Alerts, their incidents and images. */
export function alertDeaths(chosen: Chosen, here: () => Ground): void {
  describe('an alert', () => {
    let url: string;
    let alerts: string;

    beforeAll(async () => {
      const { fixture } = here();
      const project = `/projects/${fixture.projectId}`;
      alerts = `${project}/alert_management_alerts`;
      await fixture.ok('PUT', `${project}/alert_management/settings`, { create_issue: true, send_email: true });
      const made = await fixture.ok('POST', `${project}/alert_management/http_integrations`, {
        name: 'A',
        active: true,
      });
      url = made.url.replace('//', `//:${made.token}@`);
    });

    /** What a sender does: it says it again until it is acknowledged. */
    const send = async (payload: Record<string, unknown>) => {
      const { username, password, href } = new URL(url);
      const headers = { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
      const address = href.replace(/\/\/.*@/, '//');
      await eventually(
        async () => {
          const reply = await fetch(address, { method: 'POST', headers, body: JSON.stringify(payload) });
          expect([payload, reply.status]).toEqual([payload, 200]);
        },
        { within: 30_000, every: 100 },
      );
    };

    atEach(chosen(alertPoints))(
      'at %s: it is raised once, with one incident and a mail to each, and ends once',
      async (point) => {
        const { system, fixture, fired } = here();
        const payload = { title: `at ${point}`, fingerprint: point };
        system.arm(point);
        await send(payload);
        const found = async () => (await fixture.ok('GET', `${alerts}?search=${point}`)) as Record<string, never>[];
        const alert = await eventually(
          async () => {
            const [one, ...more] = await found();
            expect([one?.title, one?.issue, more]).toEqual([payload.title, expect.anything(), []]);
            return one as { iid: number; issue: { iid: number } } & Record<string, never>;
          },
          { within: 30_000, every: 100 },
        );
        await fixture.ok('PUT', `${alerts}/${alert.iid}`, { status: 'acknowledged' });
        await fired();
        // The crashed process had minutes to send it.
        await system.query(
          'collaboration',
          "update mails set due_at = now() where state = 'waiting'; select pg_notify('switchyard_mails', '')",
        );
        await expectSettled(system);
        await send({ ...payload, status: 'resolved' });
        await eventually(
          async () => {
            expect(await found()).toMatchObject([{ status: 'resolved', issue: alert.issue }]);
            const incident = await fixture.ok('GET', `/projects/${fixture.projectId}/issues/${alert.issue.iid}`);
            expect(incident).toMatchObject({ state: 'closed', issue_type: 'incident' });
          },
          { within: 30_000, every: 100 },
        );
        await expectSettled(system);
        const mails = await eventually(
          async () => {
            const rows = await system.query(
              'collaboration',
              `select user_id::int as to, state from mails where subject like '%${point}' order by 1`,
            );
            expect(rows.map(({ state }) => state)).not.toContain('waiting');
            return rows;
          },
          { within: 30_000, every: 100 },
        );
        expect(mails).toEqual([
          { to: 1, state: 'sent' },
          { to: fixture.reviewer.id, state: 'sent' },
        ]);
        const incidents = (await fixture.all(`/projects/${fixture.projectId}/issues?issue_type=incident`)) as {
          title: string;
        }[];
        expect(incidents.filter(({ title }) => title === payload.title)).toHaveLength(1);
        const changes = await system.query(
          'alerts',
          `select count(*)::int as count from events.outbox where event_id like 'alert.statusChanged:${alert.id}:%'`,
        );
        expect(changes).toEqual([{ count: 2 }]);
      },
    );
  });

  atEach(chosen(metricImagePoints))('at %s: an image of an alert is there with its file, or neither', async (point) => {
    const { system, fixture, fired } = here();
    const alerts = `/projects/${fixture.projectId}/alert_management_alerts`;
    const images = `${alerts}/${(await fixture.all(alerts))[0].iid}/metric_images`;
    const attach = async (): Promise<number> => {
      const form = new FormData();
      form.set('file', new Blob([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')]), 'load.png');
      const headers = { 'PRIVATE-TOKEN': system.rootToken };
      const reply = await fetch(`${system.url}/api/v4${images}`, { method: 'POST', headers, body: form });
      expect(reply.status).toBe(201);
      return ((await reply.json()) as { id: number }).id;
    };
    const attached = () => eventually(attach, { within: 30_000, every: 100 });
    system.arm(point);
    const [kept, gone] = [await attached(), await attached()];
    await fixture.ok('DELETE', `${images}/${gone}`).catch(() => undefined);
    await fired();
    const stored = () =>
      readdirSync(join(system.data, 'blobs'), { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map(({ name }) => `metric-images/${name}`)
        .sort();
    await eventually(
      async () => {
        // An upload that broke off has an hour.
        await system.query('alerts', 'update blob_remains set due_at = now()');
        const ids = (await fixture.all(images)).map(({ id }) => id);
        expect(ids).toContain(kept);
        expect(ids).not.toContain(gone);
        const rows = await system.query('alerts', 'select blob from metric_images order by blob');
        // A deletion has the sweep come by at once.
        if (stored().length > rows.length) await fixture.ok('DELETE', `${images}/${await attach()}`);
        expect(stored()).toEqual(rows.map(({ blob }) => blob));
      },
      { within: 30_000, every: 200 },
    );
  });
}
