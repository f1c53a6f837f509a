import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { DeliveryServiceService, ListDeliveryEntriesRequest } from '@switchyard/protos/groups_admin/v1/delivery';
import { WebhookServiceService, WebhookSettings } from '@switchyard/protos/groups_admin/v1/webhook';
import { eventually } from '@switchyard/testkit';
import { Webhook } from 'standardwebhooks';
import type { Change } from '../../src/changes';
import { groupClients, refusal } from '../support/group-clients';
import { type Receiver, receiver } from '../support/receivers';
import { pageOf, type RunningGroups, runGroups, shown, type Target, type TestUser } from '../support/running-groups';

/** In each secret of this file: nothing that is shown holds it. */
const canary = 'CanaryOfTheWebhooks';
const signingToken = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

let running: RunningGroups;
let ada: TestUser;
let receiving: Receiver;
let group: number;
let below: number;
let project: number;
let position = 0;
let ahead = 0;

beforeAll(async () => {
  running = await runGroups({ ahead: () => ahead });
  ada = await running.user('ada', { admin: true });
  receiving = await receiver();
  await running.startDeliveries();
});
afterAll(async () => {
  await running.close();
  await receiving.close();
});

const { newGroup, newProject } = groupClients(() => running);

let round = 0;
beforeEach(async () => {
  round += 1;
  ahead = 0;
  group = (await newGroup(ada, `team${round}`)).id;
  below = (await newGroup(ada, 'below', { parentId: group })).id;
  project = (await newProject(ada, below, 'code')).id;
  receiving.received.length = 0;
  receiving.answer = () => 200;
  await running.db.query(sql`delete from webhooks`);
});

type Place = Target | 'instance';
const placeOf = (place: Place) =>
  place === 'instance'
    ? { groupId: 0, projectId: 0 }
    : 'group' in place
      ? { groupId: place.group, projectId: 0 }
      : { groupId: 0, projectId: place.project };
const componentOf = (place: Place) =>
  place === 'instance' ? 'SystemHook' : 'group' in place ? 'GroupHook' : 'ProjectHook';
const targetOf = (place: Place) => (place === 'instance' ? undefined : place);
const client = () => running.as(ada, WebhookServiceService);
const settings = (given: object) => WebhookSettings.fromPartial({ url: `${receiving.url}/hook`, ...given });
const create = (place: Place, given: object = {}) =>
  shown(
    componentOf(place),
    client().createWebhook({ place: placeOf(place), settings: settings(given) }, targetOf(place)),
  );
const get = (place: Place, webhookId: number) =>
  shown(componentOf(place), client().getWebhook({ place: placeOf(place), webhookId }, targetOf(place)));
const test_ = (place: Place, webhookId: number, trigger = 'push_events') =>
  client().testWebhook({ place: placeOf(place), webhookId, trigger }, targetOf(place));
const events = (place: Place, webhookId: number, statuses: string[] = []) =>
  shown(
    'HookEvent',
    client().listWebhookEvents({ place: placeOf(place), webhookId, page: pageOf(), statuses }, targetOf(place)),
  );

const change = (given: Partial<Change> = {}): Change => {
  position += 1;
  return {
    position,
    kind: 'push',
    confidential: false,
    projectId: project,
    groupId: 0,
    ref: 'main',
    objectKey: 'push:main',
    actorId: ada.userId,
    action: 'push',
    occurredAt: new Date(),
    body: JSON.stringify({
      object_kind: 'push',
      ref: 'refs/heads/main',
      user: { name: 'Ada "L"' },
      change: { position },
    }),
    eventId: `event-${position}`,
    ...given,
  };
};
const lines = async (place: { projectId: number } | { groupId: number }) => {
  const { entries } = await running
    .asService('collaboration', DeliveryServiceService)
    .listDeliveryEntries(ListDeliveryEntriesRequest.fromPartial(place));
  return entries;
};

describe.each([
  ['a project', () => ({ project }) as Place],
  ['a group', () => ({ group }) as Place],
  ['the instance', () => 'instance' as Place],
])('webhooks of %s', (_, at) => {
  test('are created, shown without secrets, changed and deleted', async () => {
    const place = at();
    const secrets = {
      token: `${canary}1`,
      signingToken,
      customHeaders: { entries: [{ key: 'X-Key', value: `${canary}2` }] },
      urlVariables: { entries: [{ key: 'path', value: `${canary}3` }] },
    };
    const made = await create(place, {
      ...secrets,
      url: `${receiving.url}/{path}`,
      name: 'n',
      switches: { tag_push_events: true },
    });
    expect(made).toMatchObject({
      url: `${receiving.url}/{path}`,
      push_events: place !== 'instance',
      tag_push_events: true,
      custom_headers: [{ key: 'X-Key' }],
      url_variables: [{ key: 'path' }],
      alert_status: 'executable',
    });
    const change = {
      place: placeOf(place),
      webhookId: made.id,
      settings: WebhookSettings.fromPartial({ name: '', switches: { push_events: true } }),
    };
    await client().updateWebhook(change, targetOf(place));
    const entry = {
      place: placeOf(place),
      webhookId: made.id,
      kind: 'header',
      entry: { key: 'X-More', value: `${canary}4` },
    };
    await client().setWebhookEntry(entry, targetOf(place));
    await client().deleteWebhookEntry({ ...entry, key: 'X-Key' }, targetOf(place));
    expect(
      await refusal(client().deleteWebhookEntry({ ...entry, kind: 'variable', key: 'path' }, targetOf(place))),
    ).toMatchObject({
      kind: 'invalid',
    });
    expect(await get(place, made.id)).toMatchObject({
      name: null,
      push_events: true,
      tag_push_events: true,
      custom_headers: [{ key: 'X-More' }],
    });

    await test_(place, made.id);
    const [got] = receiving.received;
    expect(got?.path).toBe(`/${canary}3`);
    expect(got?.headers).toMatchObject({
      'x-gitlab-event': place === 'instance' ? 'System Hook' : 'Push Hook',
      'x-gitlab-token': `${canary}1`,
      'x-gitlab-instance': 'https://forge.example',
      'x-more': `${canary}4`,
      'user-agent': expect.stringMatching(/^Switchyard\/\d/),
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(JSON.parse(got?.body ?? '')).toMatchObject({ object_kind: 'push', user: { username: 'ada' } });
    expect(new Webhook(signingToken).verify(got?.body ?? '', got?.headers as Record<string, string>)).toBeDefined();
    const shownEvents = await events(place, made.id);
    expect(shownEvents).toMatchObject([
      { response_status: '200', response_body: 'answered 200', url: `${receiving.url}/{path}` },
    ]);
    expect(JSON.stringify(shownEvents)).not.toContain(canary);
    const stored = await running.db.query(
      sql`select w::text as text from webhooks w union all select a::text from delivery_attempts a`,
    );
    expect(JSON.stringify(stored)).not.toContain(canary);

    await client().deleteWebhook(
      { place: placeOf(place), webhookId: made.id, ifUnmodifiedSince: undefined },
      targetOf(place),
    );
    expect(
      await refusal(client().getWebhook({ place: placeOf(place), webhookId: made.id }, targetOf(place))),
    ).toMatchObject({
      kind: 'not_found',
      message: '404 Hook Not Found',
    });
  });
});

test('bad settings are refused at configuration, with every problem at once', async () => {
  const refused = await refusal(
    create(
      { project },
      {
        url: 'http://169.254.169.254/latest',
        customWebhookTemplate: '{{#each a}}',
        customHeaders: { entries: [{ key: 'X-A\r\nX-B', value: 'v' }] },
        pushEventsBranchFilter: '(',
        branchFilterStrategy: 'regex',
      },
    ),
  );
  expect(refused).toMatchObject({
    kind: 'invalid',
    message: {
      url: ['is not allowed: it is local, private or reserved'],
      push_events_branch_filter: ['is not a valid regular expression'],
      custom_webhook_template: ['has {{#each a}}, which names no value'],
      custom_headers: ['has the key "X-A\\r\\nX-B", which is invalid'],
    },
  });
});

test('a change goes to the project, all groups above and the instance, by switches and filters, in few statements', async () => {
  const ids = {
    project: (await create({ project }, { url: `${receiving.url}/project` })).id,
    filtered: (await create({ project }, { url: `${receiving.url}/filtered`, pushEventsBranchFilter: 'release/*' })).id,
    group: (await create({ group }, { url: `${receiving.url}/group` })).id,
    below: (
      await create(
        { group: below },
        { url: `${receiving.url}/below`, customWebhookTemplate: '{"by": "{{user.name}}"}' },
      )
    ).id,
    off: (await create({ group }, { url: `${receiving.url}/off`, switches: { push_events: false } })).id,
    instance: (await create('instance', { url: `${receiving.url}/instance`, switches: { push_events: true } })).id,
  };
  const other = (await newProject(ada, group, 'other')).id;
  await create({ project: other }, { url: `${receiving.url}/other` });
  const counted = async (changes: Change[]) => (await countStatements(() => running.followed(changes))).statements;
  const one = await counted([change({ objectKey: 'a' })]);
  expect(await counted(Array.from({ length: 50 }, (_, at) => change({ objectKey: `b${at}` })))).toBe(one);
  await eventually(() => expect(receiving.received).toHaveLength(4 * 51));
  expect(new Set(receiving.received.map(({ path }) => path))).toEqual(
    new Set(['/project', '/group', '/below', '/instance']),
  );
  const keys = receiving.received.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(keys.length);
  expect(receiving.received.find(({ path }) => path === '/below')?.body).toBe('{"by": "Ada \\"L\\""}');
  await eventually(async () => {
    const entries = (await lines({ projectId: project })).slice(-4);
    expect(entries.map(({ receiverId, decision, rule, fate }) => [receiverId, decision, rule, fate]).sort()).toEqual(
      [
        [ids.project, 'queued', 'push_events', 'sent'],
        [ids.filtered, 'skipped', 'branch_filter', 'skipped'],
        [ids.group, 'queued', 'push_events', 'sent'],
        [ids.below, 'queued', 'push_events', 'sent'],
      ].sort(),
    );
  });
  expect((await lines({ groupId: group })).every(({ receiverId }) => receiverId === ids.group)).toBe(true);
});

test('G-6-6: after 4 failures it is disabled for a minute, its changes are skipped with the reason, and a test enables it', async () => {
  const { id } = await create({ project });
  receiving.answer = () => 500;
  await running.followed(Array.from({ length: 4 }, (_, at) => change({ objectKey: `o${at}` })));
  await eventually(async () =>
    expect(await get({ project }, id)).toMatchObject({ alert_status: 'temporarily_disabled' }),
  );
  await running.followed([change()]);
  expect((await lines({ projectId: project }))[0]).toMatchObject({ fate: 'skipped', rule: 'temporarily_disabled' });
  expect(await refusal(test_({ project }, id))).toMatchObject({ kind: 'unprocessable' });
  expect(await events({ project }, id, ['server_failure'])).toHaveLength(5);
  expect(await events({ project }, id, ['successful', '404'])).toHaveLength(0);
  receiving.answer = () => 200;
  await test_({ project }, id);
  expect(await get({ project }, id)).toMatchObject({ alert_status: 'executable', disabled_until: null });

  const [failed] = await events({ project }, id, ['500']);
  const { length } = receiving.received;
  await client().resendWebhookEvent({ place: placeOf({ project }), webhookId: id, eventId: failed.id }, { project });
  expect(receiving.received).toHaveLength(length + 1);
  expect(receiving.received.at(-1)?.headers['idempotency-key']).toBe(failed.idempotency_key);
  expect(await refusal(test_({ project }, id, 'wiki_page_events'))).toMatchObject({ kind: 'invalid_params' });
});

test('a delivery to a webhook that was deleted is skipped, and one that cannot be sent says why', async () => {
  const customWebhookTemplate = `[${Array(400).fill('{{big}}').join(',')}]`;
  const multiplying = await create({ project }, { customWebhookTemplate });
  await running.followed([change({ body: JSON.stringify({ big: 'x'.repeat(10_000) }) })]);
  await eventually(async () =>
    expect((await lines({ projectId: project }))[0]).toMatchObject({
      fate: 'failed',
      error: 'The template makes a body that is too large',
    }),
  );
  await running.db.query(sql`delete from webhooks where id = ${multiplying.id}`);
  const { id } = await create({ project });
  await running.db.query(sql`update webhooks set url = 'http://10.0.0.1/' where id = ${id}`);
  await running.followed([change()]);
  await eventually(async () =>
    expect((await lines({ projectId: project }))[0]).toMatchObject({
      fate: 'failed',
      error: 'The address is not allowed: it is local, private or reserved',
    }),
  );
  await running.db.query(sql`delete from webhooks where id = ${id}`);
  ahead = 3_600_000;
  // Saves the wait for the look-up at rest.
  await running.db.query(sql`select pg_notify('switchyard_deliveries', '')`);
  await eventually(async () =>
    expect((await lines({ projectId: project }))[0]).toMatchObject({ fate: 'skipped', rule: 'removed' }),
  );
});
