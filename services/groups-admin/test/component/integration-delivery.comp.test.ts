import { countStatements, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { deriveKey, keyring } from '@switchyard/secrets';
import type { Change } from '../../src/changes';
import type { DueDelivery } from '../../src/deliveries';
import type { IntegrationDelivery } from '../../src/integrations/application/delivery.ports';
import { followChanges } from '../../src/integrations/application/follow-changes';
import { manageIntegrations } from '../../src/integrations/application/manage-integrations';
import { integrationTarget } from '../../src/integrations/application/prepare-delivery';
import type { SettingValue } from '../../src/integrations/domain/integration';
import { integrationStore } from '../../src/integrations/storage/integration.store';
import { integrationDeliveryStore } from '../../src/integrations/storage/integration-delivery.store';
import { changes } from '../senders/changes';
import { groupClients } from '../support/group-clients';
import { type RunningGroups, runGroups, type TestUser } from '../support/running-groups';

const ring = keyring([deriveKey('a secret of at least thirty-two characters', 'test')]);
const webhook = 'https://chat.example.com/hooks/1';

let running: RunningGroups;
let ada: TestUser;
let group: number;
let projects: number[];
let round = 0;

beforeAll(async () => {
  running = await runGroups();
  ada = await running.user('ada');
});
afterAll(() => running.close());
const { newGroup, newProject } = groupClients(() => running);
beforeEach(async () => {
  round += 1;
  group = (await newGroup(ada, `team${round}`)).id;
  projects = [(await newProject(ada, group, 'one')).id, (await newProject(ada, group, 'two')).id];
});

const set = (
  kind: 'group' | 'project',
  id: number,
  slug: string,
  values: Record<string, SettingValue> = {},
  given: { active?: boolean; secrets?: Record<string, string>; pipelines?: boolean } = {},
) =>
  integrationStore(running.db, ring).change({ kind, id }, slug, () => ({
    active: given.active ?? true,
    inherits: false,
    values,
    switches: { pipeline_events: given.pipelines ?? false },
    secrets: given.secrets ?? { webhook },
  }));

let position = 0;
function change(name: string, projectId: number): Change {
  position += 1;
  const sent = changes[name];
  if (sent === undefined) throw new Error(`no ${name}`);
  const { kind, action, confidential, body } = sent;
  return {
    position,
    kind,
    action,
    confidential,
    projectId,
    groupId: 0,
    ref: '',
    actorId: ada.userId,
    occurredAt: new Date(),
    objectKey: `object:${position}`,
    body: body.json,
    eventId: `event-${position}`,
  };
}

/** What becomes of changes, in one transaction. */
async function follow(...followed: Change[]): Promise<IntegrationDelivery[]> {
  const rows: IntegrationDelivery[] = [];
  const queue = async (_tx: Tx, _changes: unknown, queued: readonly IntegrationDelivery[]) => void rows.push(...queued);
  const work = followChanges({ store: integrationDeliveryStore(running.db, ring), queue });
  await running.db.transaction((tx) => work(tx, followed));
  return rows;
}
const said = (rows: readonly IntegrationDelivery[]) =>
  rows.map(({ projectId, receiver, rule }) => `${projectId} ${receiver} ${rule}`);

test('what counts in a project decides, and a row says why something is not sent', async () => {
  const [one = 0, two = 0] = projects;
  const shared = (await set('group', group, 'slack')).own?.id;
  const own = (await set('project', one, 'slack', { branches_to_be_notified: 'protected' })).own?.id;
  await set('project', two, 'pumble', {}, { active: false });
  const pushed = change('push of a new branch', one);
  const opened = change('issue', two);
  const rows = await follow(pushed, opened, change('issue that is edited', two), change('push', 0));
  expect(said(rows)).toEqual([`${one} integration:${own} branch_filter`, `${two} integration:${shared} event_switch`]);
  expect(rows[1]).toEqual({
    targetKind: 'integration',
    targetId: shared,
    changePosition: opened.position,
    receiver: `integration:${shared}`,
    objectKey: opened.objectKey,
    idempotencyKey: `${opened.eventId}:integration:${shared}`,
    projectId: two,
    groupId: 0,
    decision: 'queued',
    rule: 'event_switch',
  });
});

test('a pipeline that ends as the one before is not sent again, in one batch and over batches', async () => {
  const [one = 0] = projects;
  const values = { notify_only_when_pipeline_status_changes: true, notify_only_broken_pipelines: false };
  await set('project', one, 'slack', values, { pipelines: true });
  const rules = async (...names: string[]) =>
    (await follow(...names.map((name) => change(name, one)))).map(({ rule }) => rule);
  expect(await rules('failed pipeline', 'failed pipeline', 'passed pipeline')).toEqual([
    'event_switch',
    'same_pipeline_status',
    'event_switch',
  ]);
  expect(await rules('passed pipeline')).toEqual(['same_pipeline_status']);
  expect(await rules('failed pipeline')).toEqual(['event_switch']);
});

test('mails are events, each once', async () => {
  const [one = 0] = projects;
  const id = (
    await set('project', one, 'emails-on-push', { recipients: 'a@example.com b@example.com' }, { secrets: {} })
  ).own?.id;
  const pushed = change('push', one);
  expect(await follow(pushed)).toEqual([]);
  expect(await follow(pushed)).toEqual([]);
  const mails = await running.db.query<{ event_id: string; body: { recipients: string[]; subject: string } }>(
    sql`select event_id, body from events.outbox where type = 'integration_mail'`,
  );
  expect(mails).toMatchObject([
    {
      event_id: `integration_mail:${pushed.eventId}:integration:${id}`,
      body: { recipients: ['a@example.com', 'b@example.com'], subject: '[Git][acme/web][main] 2 commits' },
    },
  ]);
});

test('a hundred changes take as many statements as two', async () => {
  await set('group', group, 'slack', { notify_only_when_pipeline_status_changes: true }, { pipelines: true });
  await set('group', group, 'emails-on-push', { recipients: 'a@example.com' }, { secrets: {} });
  const cost = async (count: number) => {
    const many = Array.from({ length: count }, (_, at) =>
      change(at % 2 === 0 ? 'push' : 'failed pipeline', projects[at % 2] ?? 0),
    );
    return (await countStatements(() => follow(...many))).statements;
  };
  expect(await cost(2)).toBe(await cost(100));
});

test('settings are read when a delivery is sent', async () => {
  const [one = 0] = projects;
  const store = integrationDeliveryStore(running.db, ring);
  const target = integrationTarget(store);
  const shared = (await set('group', group, 'slack')).own?.id ?? 0;
  const due: DueDelivery = {
    ...{ id: 1, targetKind: 'integration', targetId: shared, receiver: `integration:${shared}`, objectKey: 'push' },
    ...{ idempotencyKey: 'key', projectId: one, groupId: 0, kind: 'push', action: '' },
    ...{ attempts: 0, partsSent: 0, isRequested: false },
  };
  const prepare = () => target.prepare(due, change('push', one));
  // What is recorded of an address does not show its secrets.
  const shownUrl = 'https://chat.example.com/[REDACTED]';
  expect(await prepare()).toMatchObject([{ method: 'POST', url: webhook, shownUrl }]);
  expect((await countStatements(prepare)).statements).toBe(1);
  await set('group', group, 'slack', {}, { secrets: { webhook: `${webhook}/2` } });
  expect(await prepare()).toMatchObject([{ url: `${webhook}/2` }]);
  expect(
    await integrationTarget(integrationDeliveryStore(running.db, keyring([deriveKey('x'.repeat(32), 'test')]))).prepare(
      due,
      change('push', one),
    ),
  ).toEqual({ skip: 'unreadable_secrets' });
  const own = (await set('project', one, 'slack')).own?.id ?? 0;
  expect(await prepare()).toEqual({ skip: 'disabled' });
  expect(await target.prepare({ ...due, targetId: own }, change('running pipeline', one))).toEqual({
    skip: 'nothing_to_send',
  });
  await set('project', one, 'slack', {}, { active: false });
  expect(await target.prepare({ ...due, targetId: own }, change('push', one))).toEqual({ skip: 'disabled' });
});

test('texts of a project name issues of its tracker, inherited or its own, by the same two statements', async () => {
  const [one = 0, two = 0] = projects;
  const use = manageIntegrations({
    integrations: integrationStore(running.db, ring),
    isDevelopment: false,
    addressProblem: () => undefined,
  });
  await set('group', group, 'redmine', { issues_url: 'https://r.example/:id' }, { secrets: {} });
  await set('project', two, 'redmine', {}, { active: false, secrets: {} });
  const inherited = {
    slug: 'redmine',
    issuesUrl: 'https://r.example/:id',
    ownsNumbers: false,
    keyExpression: '',
    keyPrefix: '',
  };
  expect([...(await use.trackers([one, two, 999_999]))]).toEqual([[one, inherited]]);
  await running.db.query(sql`update projects set issues_access_level = 'disabled' where id = ${one}`);
  await set('project', two, 'phorge', { issues_url: 'https://p.example/:id' }, { secrets: {} });
  const few = await countStatements(() => use.trackers([one]));
  const many = await countStatements(() => use.trackers([one, two]));
  expect([few.statements, many.statements]).toEqual([2, 2]);
  expect([...(await use.trackers([one, two])).values()]).toEqual([
    { ...inherited, ownsNumbers: true },
    { ...inherited, slug: 'phorge', issuesUrl: 'https://p.example/:id' },
  ]);
});
