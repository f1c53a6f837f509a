import { createHash } from 'node:crypto';
import { sql } from '@switchyard/database/sql';
import { alertEvents, decodeBody } from '@switchyard/events';
import { type IngestionServiceCheckKeyRequest, IngestionServiceService } from '@switchyard/protos/alerts/v1/ingestion';
import { DirectoryProjectSettings } from '@switchyard/protos/groups_admin/v1/directory';
import { type Installation, startInstallation } from '../support/installation';
import { amGroup, amItem, type WatchedProject, watchedProject } from '../support/watched-project';

let here: Installation;

beforeAll(async () => {
  here = await startInstallation();
});

afterAll(() => here?.close());

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

const eventsOf = async (project: WatchedProject) => {
  const rows = await here.db.query<{ event_id: string; body: string }>(
    sql`select event_id, body::text as body from events.outbox order by id`,
  );
  return rows
    .map(({ event_id, body }) => ({ id: event_id, event: decodeBody(alertEvents, body) }))
    .filter(({ event }) => event.alert?.projectId === project.id);
};

describe('an address and a key', () => {
  it('admit by endpoint id, and by type where there is none', async () => {
    const custom = await watchedProject(here);
    expect(await custom.send({ title: 'one' })).toMatchObject({ status: 200, body: [{ iid: 1, title: 'one' }] });
    expect((await custom.send({ title: 'two' }, { endpointId: '' })).body).toEqual([{ iid: 2, title: 'two' }]);
    const endpointId = custom.endpointId.toUpperCase();
    expect((await custom.send({ title: 'three' }, { endpointId })).status).toBe(200);
    expect((await custom.send({}, { path: custom.path.toUpperCase() })).status).toBe(200);
    expect((await custom.send({}, { endpointId: '', path: `${custom.path}/prometheus` })).status).toBe(403);
    const metrics = await watchedProject(here, { type: 'PROMETHEUS' });
    expect(
      (await metrics.send(amGroup([amItem()]), { endpointId: '', path: `${metrics.path}/prometheus` })).status,
    ).toBe(200);
    expect((await metrics.send({}, { endpointId: '' })).status).toBe(403);
    // A project that is called so itself.
    const named = await watchedProject(here, { project: { path: 'prometheus' } });
    expect((await named.send({}, { endpointId: '' })).status).toBe(200);
  });

  it('refuse as in the table, with an empty body', async () => {
    const project = await watchedProject(here);
    const other = await watchedProject(here);
    const metrics = amGroup([amItem()]);
    const empty = { body: undefined, receiptId: '' };
    expect(await project.send({}, { key: 'f'.repeat(32) })).toEqual({ status: 401, ...empty });
    expect(await project.send({}, { key: '' })).toEqual({ status: 401, ...empty });
    expect(await project.send({}, { key: other.key })).toEqual({ status: 401, ...empty });
    expect((await project.send('{', { key: '' })).status).toBe(401);
    expect((await project.send({}, { endpointId: 'f'.repeat(16) })).status).toBe(403);
    expect((await project.send({}, { endpointId: other.endpointId, key: other.key })).status).toBe(403);
    expect((await project.send(metrics, { endpointId: 'f'.repeat(16) })).status).toBe(401);
    for (const path of ['nobody/nothing', 'nothing', '', '\0/x', 'a/'.repeat(4_000), '\ud800/x']) {
      expect((await project.send({}, { path })).status).toBe(404);
    }
    await here.db.query(sql`update http_integrations set active = false where project_id = ${project.id}`);
    expect((await project.send({})).status).toBe(403);
    expect((await project.send(metrics)).status).toBe(401);
    expect((await project.send({}, { key: 'f'.repeat(32) })).status).toBe(401);
    expect(await project.alerts()).toEqual([]);
  });

  it('can be checked alone, for the gateway', async () => {
    const project = await watchedProject(here);
    const isRight = async (given: Partial<IngestionServiceCheckKeyRequest> = {}) => {
      const asked = { projectPath: project.path, endpointId: project.endpointId, key: project.key, ...given };
      return (await here.client(IngestionServiceService).checkKey(asked, { requestId: 'test' })).right;
    };
    expect([await isRight(), await isRight({ endpointId: '' })]).toEqual([true, true]);
    for (const given of [{ key: '' }, { key: 'f'.repeat(32) }, { endpointId: 'f'.repeat(16) }, { projectPath: 'a/b' }])
      expect(await isRight(given)).toBe(false);
    expect(await project.alerts()).toEqual([]);
  });

  it('follow a project that has moved', async () => {
    const project = await watchedProject(here);
    here.locations.set('former/path', project.id);
    expect((await project.send({}, { path: 'Former/Path' })).status).toBe(200);
  });

  it('take nothing for a project that is archived, being deleted, or has no alerts', async () => {
    const settings = DirectoryProjectSettings.fromPartial({ monitorAccessLevel: 'disabled' });
    for (const state of [{ archived: true }, { deleting: true }, { settings }]) {
      const project = await watchedProject(here, { project: state });
      expect((await project.send({})).status).toBe(404);
    }
  });

  it('take alerts of a project that shows them to its members', async () => {
    const settings = DirectoryProjectSettings.fromPartial({ monitorAccessLevel: 'private' });
    const project = await watchedProject(here, { project: { settings } });
    expect((await project.send({})).status).toBe(200);
  });
});

describe('a payload', () => {
  it('becomes an alert with all its attributes, a receipt, and an event', async () => {
    const project = await watchedProject(here);
    await here.db.query(
      sql`insert into alert_settings (project_id, create_issue, send_email) values (${project.id}, true, true)`,
    );
    const text =
      '{"title":"Disk","fingerprint":"disk","start_time":"2026-03-01T10:00:00Z","hosts":["a","b\\u0000"],"severity":"low","x":{"y":1.50}}';
    const reply = await project.send(text);
    expect(reply).toMatchObject({ status: 200, body: [{ iid: 1, title: 'Disk' }] });
    expect(
      await here.db.one(sql`select *, payload::text as payload, details from alerts where project_id = ${project.id}`),
    ).toMatchObject({
      title: 'Disk',
      severity: 2,
      status: 0,
      hosts: ['a', 'b\ufffd'],
      fingerprint: sha1('disk'),
      events: 1,
      started_at: new Date('2026-03-01T10:00:00Z'),
      starts_told: true,
      ended_at: null,
      format: 'custom',
      details: { 'x/y': '1.5' },
      payload: text,
      version: 1,
    });
    expect(await project.receipt(reply)).toEqual([{ outcome: 'created', iid: 1, title: 'Disk' }]);
    expect(await eventsOf(project)).toMatchObject([
      {
        event: {
          alert: { iid: 1, title: 'Disk', severity: 'low', status: 'triggered', version: 1 },
          actorId: 0,
          fact: {
            $case: 'raised',
            value: { openIncident: true, sendEmail: true, details: { hosts: ['a', 'b\ufffd'] } },
          },
        },
      },
    ]);
  });

  it('that has ended by the time it is stored is not worth a mail', async () => {
    const project = await watchedProject(here);
    await here.db.query(sql`insert into alert_settings (project_id, send_email) values (${project.id}, true)`);
    const ended = { status: 'resolved', endsAt: '2026-03-01T11:00:00Z' };
    await project.send(amGroup([amItem({ fingerprint: 'a' }), amItem({ fingerprint: 'a', ...ended })]));
    await project.send(amGroup([amItem({ fingerprint: 'b' })]));
    await project.send(amGroup([amItem({ fingerprint: 'b', ...ended })]));
    expect(
      (await eventsOf(project)).map(({ event }) => [
        event.alert?.iid,
        event.fact?.$case,
        event.fact?.$case === 'raised' && event.fact.value.sendEmail,
      ]),
    ).toEqual([
      [1, 'raised', false],
      [1, 'statusChanged', false],
      [2, 'raised', true],
      [2, 'statusChanged', false],
    ]);
  });

  it('counts, ends and begins again', async () => {
    const project = await watchedProject(here);
    await project.send({ title: 'Disk', host: 1 });
    expect((await project.send({ title: 'Disk', host: 1, hosts: 'x', start_time: 'now' })).body).toEqual([
      { iid: 1, title: 'Disk' },
    ]);
    const ended = await project.send({ title: 'Disk', host: 1, end_time: '2026-03-01T11:00:00Z' });
    expect(ended.body).toEqual([{ iid: 1, title: 'Disk' }]);
    expect((await project.send({ title: 'Disk', host: 1 })).body).toEqual([{ iid: 2, title: 'Disk' }]);
    expect(await project.alerts()).toMatchObject([
      { iid: 1, status: 2, events: 2, ended_at: new Date('2026-03-01T11:00:00Z') },
      { iid: 2, status: 0, events: 1, ended_at: null },
    ]);
    expect(
      (await eventsOf(project)).map(({ id, event }) => [
        id.replace(/\d+/, 'n'),
        event.fact?.$case,
        event.alert?.status,
      ]),
    ).toEqual([
      ['alert.raised:n:1', 'raised', 'triggered'],
      ['alert.statusChanged:n:2', 'statusChanged', 'resolved'],
      ['alert.raised:n:1', 'raised', 'triggered'],
    ]);
  });

  it('that ends what is not open creates nothing', async () => {
    const project = await watchedProject(here);
    const reply = await project.send({ title: 'Disk', end_time: '2026-03-01T11:00:00Z' });
    expect(reply).toMatchObject({ status: 200, body: [] });
    expect(await project.receipt(reply)).toEqual([{ outcome: 'ignored', reason: 'no_open_alert', title: 'Disk' }]);
    expect(await project.alerts()).toEqual([]);
  });

  it('without a fingerprint is an alert of its own, in the free tier and when the setting is off', async () => {
    for (const tier of ['free', 'ultimate']) {
      const project = await watchedProject(here, { tier });
      await here.db.query(sql`insert into alert_settings (project_id, create_issue, fingerprinting)
        values (${project.id}, true, ${tier === 'free'})`);
      await project.send({ title: 'Disk' });
      await project.send({ title: 'Disk' });
      const end = await project.send({ title: 'Disk', end_time: '2026-03-01T11:00:00Z' });
      expect(await project.receipt(end)).toMatchObject([{ outcome: 'ignored', reason: 'no_fingerprint' }]);
      expect(await project.alerts()).toMatchObject([{ fingerprint: null }, { fingerprint: null }]);
      const [first] = await eventsOf(project);
      expect(first?.event.fact).toMatchObject({ value: { openIncident: tier === 'ultimate' } });
    }
  });

  it('is read by the mapping of its integration, where the tier has mapping', async () => {
    const mapping = JSON.stringify([{ field: 'title', path: ['event', 'name'], type: 'STRING' }]);
    for (const [tier, title] of [
      ['premium', 'mapped'],
      ['free', 'plain'],
    ] as const) {
      const project = await watchedProject(here, { tier });
      await here.db.query(
        sql`update http_integrations set payload_attribute_mappings = ${mapping}::json where project_id = ${project.id}`,
      );
      expect((await project.send({ title: 'plain', event: { name: 'mapped' } })).body).toEqual([{ iid: 1, title }]);
    }
  });

  it.each([
    ['no JSON', '{"title":'],
    ['nothing', ''],
    ['an array', '[{"title":"x"}]'],
    ['a text', '"x"'],
    ['nested 101 deep', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`],
    ['a megabyte and a byte', `{"a":"${'x'.repeat((1 << 20) - 7)}"}`],
    ['no UTF-8', Buffer.from('{"title":"a\xff\xfeb"}', 'latin1')],
    ['UTF-8 cut short', Buffer.from('{"title":"\xe2\x82"}', 'latin1')],
    ['UTF-16', Buffer.from('{"title":"a"}', 'utf16le')],
  ])('that is %s is refused whole', async (_name, payload) => {
    const project = await watchedProject(here);
    expect(await project.send(payload)).toEqual({ status: 400, body: undefined, receiptId: '' });
    expect(await project.alerts()).toEqual([]);
  });

  it('is taken to its limits, whatever it is made of', async () => {
    const project = await watchedProject(here);
    const payloads = [
      `{"a":${'['.repeat(99)}${']'.repeat(99)}}`,
      `{"a":"${'x'.repeat((1 << 20) - 8)}"}`,
      '\ufeff{"title":"with a mark of its order"}',
      '{"title":"\\u0000\\ud800","a\\u0000":"\\udfff","n":1e999,"d":12345678901234567890}',
      '{"__proto__":{"title":"x"},"constructor":1,"toString":2}',
      { title: "'; drop table alerts; --", hosts: '\\', fingerprint: { a: [null, true] } },
    ];
    for (const payload of payloads)
      expect([payload.toString().slice(0, 40), (await project.send(payload)).status]).toEqual([
        payload.toString().slice(0, 40),
        200,
      ]);
    expect(await project.alerts()).toHaveLength(payloads.length);
    expect((await project.alerts())[3]?.title).toBe('\ufffd\ufffd');
  });
});

describe('a metrics payload', () => {
  it('distinguishes label sets that start together, through repeats, ends and a firing group of which some have ended', async () => {
    const project = await watchedProject(here);
    const [a, b] = [{ fingerprint: 'aaaa' }, { fingerprint: 'bbbb', labels: { alertname: 'Down', instance: 'b' } }];
    const ended = { status: 'resolved', endsAt: '2026-03-01T11:00:00Z' };
    expect((await project.send(amGroup([amItem(a), amItem(b)]))).body).toEqual([
      { iid: 1, title: 'Down' },
      { iid: 2, title: 'Down' },
    ]);
    await project.send(amGroup([amItem(a), amItem(b)]));
    await project.send(amGroup([amItem({ ...a, ...ended }), amItem(b)]));
    expect(await project.alerts()).toMatchObject([
      { status: 2, events: 2 },
      { status: 0, events: 3 },
    ]);
    // It fires again, with a start of its own; what comes late changes nothing.
    await project.send(amGroup([amItem({ ...a, startsAt: '2026-03-01T12:00:00Z' }), amItem(b)]));
    const late = await project.send(amGroup([amItem({ ...a, ...ended }), amItem({ ...b, ...ended })], 'resolved'));
    expect(await project.receipt(late)).toMatchObject([
      { outcome: 'ignored', reason: 'ended_before_this_start' },
      { outcome: 'resolved', iid: 2 },
    ]);
    const later = await project.send(amGroup([amItem(b)]));
    expect(await project.receipt(later)).toMatchObject([{ outcome: 'ignored', reason: 'already_ended' }]);
    expect(await project.alerts()).toMatchObject([{ status: 2 }, { status: 2, events: 4 }, { status: 0, events: 1 }]);
  });

  it('counts repeats within itself, and each alert stands once in the answer', async () => {
    const project = await watchedProject(here);
    const reply = await project.send(amGroup([amItem(), amItem({ fingerprint: 'other' }), amItem(), amItem()]));
    expect(reply.body).toEqual([
      { iid: 1, title: 'Down' },
      { iid: 2, title: 'Down' },
    ]);
    expect((await project.receipt(reply)).map(({ outcome, iid }) => `${outcome} ${iid}`)).toEqual([
      'created 1',
      'created 2',
      'counted 1',
      'counted 1',
    ]);
    expect(await project.alerts()).toMatchObject([{ events: 3 }, { events: 1 }]);
  });

  it('may raise, end and raise again within itself', async () => {
    const project = await watchedProject(here);
    await project.send(amGroup([amItem()]));
    const reply = await project.send(
      amGroup([
        amItem({ status: 'resolved', endsAt: '2026-03-01T10:05:00Z' }),
        amItem({ startsAt: '2026-03-01T10:10:00Z' }),
        amItem({ status: 'resolved', startsAt: '2026-03-01T10:10:00Z', endsAt: '2026-03-01T10:15:00Z' }),
        amItem({ startsAt: '2026-03-01T10:20:00Z' }),
      ]),
    );
    expect((await project.receipt(reply)).map(({ outcome, iid }) => `${outcome} ${iid}`)).toEqual([
      'resolved 1',
      'created 2',
      'resolved 2',
      'created 3',
    ]);
    expect(await project.alerts()).toMatchObject([{ status: 2 }, { status: 2 }, { status: 0 }]);
    expect((await eventsOf(project)).map(({ event }) => `${event.fact?.$case} ${event.alert?.iid}`)).toEqual([
      'raised 1',
      'statusChanged 1',
      'raised 2',
      'statusChanged 2',
      'raised 3',
    ]);
  });

  it('stores valid items next to malformed ones, and records the outcome of each', async () => {
    const project = await watchedProject(here);
    const reply = await project.send(
      amGroup([amItem(), 'text', amItem({ labels: {} }), amItem({ startsAt: 'ten' }), amItem({ fingerprint: 'last' })]),
    );
    expect(reply.body).toHaveLength(2);
    expect(await project.receipt(reply)).toEqual([
      { outcome: 'created', iid: 1, title: 'Down' },
      { outcome: 'rejected', reason: 'not_an_object' },
      { outcome: 'rejected', reason: 'title_missing' },
      { outcome: 'rejected', reason: 'starts_at_invalid', title: 'Down' },
      { outcome: 'created', iid: 2, title: 'Down' },
    ]);
    const none = await project.send(amGroup([1, 2]));
    expect(none).toMatchObject({ status: 200, body: [] });
    expect(await project.send(amGroup([]))).toMatchObject({ status: 200, body: [] });
    expect((await project.send({ ...amGroup([]), alerts: {} })).status).toBe(400);
  });

  it('of 5,000 alerts is taken whole', async () => {
    const project = await watchedProject(here);
    const reply = await project.send(
      amGroup(
        Array.from({ length: 5_000 }, (_, at) => ({
          labels: { alertname: 'A' },
          startsAt: '2026-03-01T10:00:00Z',
          fingerprint: String(at),
        })),
      ),
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toHaveLength(5_000);
    expect(reply.body.at(-1)).toEqual({ iid: 5_000, title: 'A' });
    expect(await project.receipt(reply)).toHaveLength(5_000);
    expect(await project.alerts()).toHaveLength(5_000);
  });
});

describe('what the database refuses', () => {
  beforeAll(async () => {
    // No payload is known to do this: a constraint stands in for one that would.
    await here.db.query(sql`alter table alerts add constraint no_poison check (title not like 'poison%')`);
  });
  afterAll(() => here.db.query(sql`alter table alerts drop constraint no_poison`));

  it('does not affect other items, in its payload or in others', async () => {
    const project = await watchedProject(here);
    const poison = { labels: { alertname: 'poison' } };
    const items = Array.from({ length: 40 }, (_, at) =>
      amItem({ fingerprint: `f${at}`, ...(at % 13 === 5 ? poison : {}) }),
    );
    const [mixed, ...others] = await Promise.all([
      project.send(amGroup(items)),
      project.send({ title: 'poison of its own' }),
      ...Array.from({ length: 10 }, (_, at) => project.send({ title: `good ${at}` })),
    ]);
    expect(mixed?.status).toBe(200);
    expect(mixed?.body).toHaveLength(37);
    const outcomes = await project.receipt(mixed as never);
    expect(outcomes.flatMap(({ outcome, reason }, at) => (outcome === 'rejected' ? [`${at} ${reason}`] : []))).toEqual([
      '5 not_storable',
      '18 not_storable',
      '31 not_storable',
    ]);
    expect(others.map(({ status }) => status)).toEqual([400, ...Array.from({ length: 10 }, () => 200)]);
    expect(await project.receipt(others[0] as never)).toMatchObject([{ outcome: 'rejected', reason: 'not_storable' }]);
    const iids = (await project.alerts()).map(({ iid }) => iid);
    expect(iids).toEqual(Array.from({ length: 47 }, (_, at) => at + 1));
  });
});
