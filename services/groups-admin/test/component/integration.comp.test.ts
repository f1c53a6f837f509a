import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  type IntegrationParameter,
  IntegrationServiceService,
  SetIntegrationRequest,
} from '@switchyard/protos/groups_admin/v1/integration';
import { deriveKey, keyring } from '@switchyard/secrets';
import { integrationStore } from '../../src/integrations/storage/integration.store';
import { rotateSecrets } from '../../src/rotate-secrets';
import { conforming } from '../support/components';
import { groupClients, refusal } from '../support/group-clients';
import { bodyOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

const secret = 'a secret of at least thirty-two characters';
const newerSecret = 'a newer secret for all that is stored';
const label = 'switchyard secrets of groups-admin';
const canary = 'https://chat.example.com/hooks/CanaryOfTheIntegrations';

let running: RunningGroups;
let ada: TestUser;
let top: number;
let sub: number;
let project: number;
let round = 0;

beforeAll(async () => {
  running = await runGroups();
  ada = await running.user('ada');
});
afterAll(() => running.close());

const { newGroup, newProject } = groupClients(() => running);
beforeEach(async () => {
  round += 1;
  top = (await newGroup(ada, `top${round}`)).id;
  sub = (await newGroup(ada, 'sub', { parentId: top })).id;
  project = (await newProject(ada, sub, 'code')).id;
});
afterEach(() => running.db.query(sql`delete from integrations`));

type Place = { group: number } | { project: number } | 'instance';
const parentOf = (place: Place) =>
  place === 'instance'
    ? { groupId: 0, projectId: 0 }
    : 'group' in place
      ? { groupId: place.group, projectId: 0 }
      : { groupId: 0, projectId: place.project };
const client = () => running.as(ada, IntegrationServiceService);
const targetOf = (place: Place) => (place === 'instance' ? undefined : place);

const parameters = (sent: Record<string, string | boolean | number>): IntegrationParameter[] =>
  Object.entries(sent).map(([name, value]) => ({
    name,
    value:
      typeof value === 'boolean'
        ? { $case: 'flag', value }
        : typeof value === 'number'
          ? { $case: 'number', value }
          : { $case: 'text', value },
  }));
const set = (
  place: Place,
  slug: string,
  sent: Record<string, string | boolean | number>,
  useInheritedSettings = false,
) =>
  shown(
    'IntegrationWithProperties',
    client().setIntegration(
      SetIntegrationRequest.fromPartial({
        parent: parentOf(place),
        slug,
        parameters: parameters(sent),
        useInheritedSettings,
      }),
      targetOf(place),
    ),
  );
const get = (place: Place, slug: string) =>
  shown('IntegrationWithProperties', client().getIntegration({ parent: parentOf(place), slug }, targetOf(place)));
const list = async (place: Place) => {
  const rows = bodyOf(await client().listIntegrations({ parent: parentOf(place) }, targetOf(place)));
  return rows.map((row: unknown) => conforming('Integration', row));
};
const disable = (place: Place, slug: string) =>
  client().disableIntegration({ parent: parentOf(place), slug, ifUnmodifiedSince: undefined }, targetOf(place));

test.each<[string, () => Place]>([
  ['a group', () => ({ group: top })],
  ['a project', () => ({ project })],
  ['the instance', () => 'instance'],
])('G-4.4-1 … G-4.4-5: an integration of %s is set up, shown, listed and disabled', async (_, at) => {
  const place = at();
  expect(await list(place)).toEqual([]);
  expect(await refusal(get(place, 'slack'))).toEqual({ kind: 'not_found', message: '404 Integration Not Found' });
  const made = await set(place, 'slack', { webhook: canary, channel: '#builds', pipeline_events: true });
  expect(made).toMatchObject({
    title: 'Slack notifications',
    slug: 'slack',
    active: true,
    inherited: false,
    push_events: true,
    commit_events: true,
    pipeline_events: true,
    job_events: false,
    deployment_events: false,
    alert_events: false,
    vulnerability_events: false,
  });
  expect(made.properties).toMatchObject({
    channel: '#builds',
    username: null,
    branches_to_be_notified: 'default',
    notify_only_default_branch: true,
    labels_to_be_notified_behavior: 'match_any',
    push_channel: null,
  });
  expect(made.properties).not.toHaveProperty('webhook');
  expect(await get(place, 'slack')).toEqual(made);
  const { properties: _hidden, ...item } = made;
  expect(await list(place)).toEqual([item]);
  const rows = await running.db.query<{ stored: string }>(sql`select i::text as stored from integrations i`);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.stored).not.toContain('Canary');

  const changed = await set(place, 'slack', { webhook: canary, branches_to_be_notified: 'all' });
  expect(changed).toMatchObject({ id: made.id, pipeline_events: true, created_at: made.created_at });
  expect(changed.properties).toMatchObject({ channel: '#builds', branches_to_be_notified: 'all' });

  expect(await disable(place, 'slack')).toMatchObject({ status: 204 });
  expect(await list(place)).toEqual([]);
  const off = await get(place, 'slack');
  expect(off).toMatchObject({ id: made.id, active: false, pipeline_events: false });
  expect(off.properties).toMatchObject({ channel: null, branches_to_be_notified: 'default' });
  expect(await refusal(disable(place, 'asana'))).toMatchObject({ kind: 'not_found' });
});

test('G-4.4-6: settings come from the nearest place above, until own ones break with them', async () => {
  const here = { project };
  const ofInstance = await set('instance', 'slack', { webhook: canary, channel: '#all' });
  expect(await get(here, 'slack')).toMatchObject({
    id: ofInstance.id,
    inherited: true,
    properties: { channel: '#all' },
  });
  await set({ group: top }, 'slack', { webhook: canary, channel: '#top' });
  expect(await get(here, 'slack')).toMatchObject({ inherited: true, properties: { channel: '#top' } });
  expect(await list({ group: sub })).toMatchObject([{ slug: 'slack', inherited: true }]);

  const own = await set(here, 'slack', { webhook: canary, channel: '#own', note_events: false });
  expect(own).toMatchObject({ inherited: false, note_events: false });
  await set({ group: top }, 'slack', { webhook: canary, channel: '#changed' });
  expect(await get(here, 'slack')).toMatchObject({ properties: { channel: '#own' } });

  const back = await set(here, 'slack', { channel: 'ignored' }, true);
  expect(back).toMatchObject({ id: own.id, inherited: true, note_events: true, properties: { channel: '#changed' } });
  await set({ group: top }, 'slack', { webhook: canary, channel: '#later' });
  expect(await get(here, 'slack')).toMatchObject({ properties: { channel: '#later' } });

  await disable({ group: sub }, 'slack');
  expect(await get(here, 'slack')).toMatchObject({ active: false });
  expect(await list(here)).toEqual([]);
  expect(await list({ group: top })).toHaveLength(1);
});

test('ten who set it up at once make one', async () => {
  const place = { project };
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, at) => set(place, 'slack', { webhook: canary, channel: `#${at}` })),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(await list(place)).toHaveLength(1);
});

test('a list takes one statement, whatever there is', async () => {
  const store = integrationStore(running.db, keyring([deriveKey(secret, label)]));
  const count = async () => (await countStatements(() => store.list({ kind: 'project', id: project }))).statements;
  const empty = await count();
  for (const slug of ['pumble', 'webex-teams', 'hangouts-chat'])
    for (const place of ['instance', { group: top }, { project }] as Place[])
      await set(place, slug, { webhook: canary });
  expect([empty, await count()]).toEqual([1, 1]);
  expect(await list({ project })).toHaveLength(3);
});

test('rotate-secrets encrypts secrets under the new key; those that cannot be read are set anew', async () => {
  const place = { project };
  await set(place, 'slack', { webhook: canary });
  const lines: string[] = [];
  const code = await rotateSecrets.run(
    { db: running.db, bus: () => ({}) as never, write: (line) => lines.push(line) },
    [],
    {
      SWITCHYARD_SECRET: secret,
      SWITCHYARD_ENCRYPTION_SECRETS: newerSecret,
    },
  );
  expect(code).toBe(0);
  expect(lines.find((line) => line.startsWith('integrations:'))).toMatch(/^integrations: 1 encrypted/);
  const newer = integrationStore(running.db, keyring([deriveKey(newerSecret, label)]));
  const seen: unknown[] = [];
  await newer
    .change({ kind: 'project', id: project }, 'slack', ({ secrets }) => {
      seen.push(secrets);
      throw new Error('only looked');
    })
    .catch(() => undefined);
  expect(seen).toEqual([{ webhook: canary }]);
  // The service has the older key alone.
  expect(await get(place, 'slack')).toMatchObject({ active: true });
  const sealed = () => running.db.query(sql`select secrets from integrations where slug = 'slack'`);
  const before = await sealed();
  expect(await refusal(set(place, 'slack', { channel: '#a' }))).toEqual({
    kind: 'invalid',
    message: { webhook: ['cannot be decrypted, and must be given'] },
  });
  expect(await sealed()).toEqual(before);
  expect(await set(place, 'slack', { webhook: canary, channel: '#a' })).toMatchObject({ active: true });
});

test('integrations go with their project and their group', async () => {
  await set({ group: top }, 'slack', { webhook: canary });
  await set({ project }, 'pumble', { webhook: canary });
  await running.db.query(sql`update namespaces set marked_for_deletion_at = now() where id = ${top}`);
  while ((await running.purge()) > 0);
  expect(await running.db.query(sql`select 1 from integrations`)).toEqual([]);
  expect(await refusal(set({ group: top }, 'slack', { webhook: canary }))).toMatchObject({ kind: 'not_found' });
});
