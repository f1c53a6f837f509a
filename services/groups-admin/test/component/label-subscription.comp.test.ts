import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import { labelStore } from '../../src/labels/storage/label.store';
import { groupClients, refusal } from '../support/group-clients';
import { bodyOf, pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';
import { writerOf } from '../support/writer';

let running: RunningGroups;
let ada: TestUser;
let bob: TestUser;
let group: number;
let project: number;
let other: number;

const { labels, newGroup, newProject } = groupClients(() => running);
const ofGroup = () => ({ groupId: group, projectId: 0 });
const ofProject = (projectId = project) => ({ groupId: 0, projectId });
type Parent = ReturnType<typeof ofGroup>;
const componentOf = (parent: Parent) => (parent.groupId > 0 ? 'GroupLabel' : 'ProjectLabel');

beforeAll(async () => {
  running = await runGroups();
  ada = await running.user('ada');
  bob = await running.user('bob');
  group = (await newGroup(ada, 'team', { visibility: 'public' })).id;
  project = (await newProject(ada, group, 'code', { visibility: 'public' })).id;
  other = (await newProject(ada, group, 'other', { visibility: 'public' })).id;
});
afterAll(() => running.close());
beforeEach(() => running.db.query(sql`delete from labels`));

const create = async (parent: Parent, name: string): Promise<number> =>
  (
    await shown(
      componentOf(parent),
      labels(ada).createLabel({ parent, name, color: 'red', description: '', priority: undefined }),
    )
  ).id;
const subscribe = (user: TestUser, parent: Parent, label: string, subscribed = true) =>
  labels(user).setLabelSubscription({ parent, label, subscribed });
const isSubscribed = async (user: TestUser, parent: Parent, label: string): Promise<boolean> =>
  (await shown(componentOf(parent), labels(user).getLabel({ parent, label, includeAncestorGroups: undefined })))
    .subscribed;

test('a label is subscribed to once, by its title or id, and shows it to its subscriber alone (G §10 Labels)', async () => {
  const id = await create(ofProject(), 'bug');
  const first = await subscribe(bob, ofProject(), 'bug');
  expect([first.status, bodyOf(first)]).toEqual([201, expect.objectContaining({ id, subscribed: true })]);
  expect((await subscribe(bob, ofProject(), String(id))).status).toBe(304);
  expect([await isSubscribed(bob, ofProject(), 'bug'), await isSubscribed(ada, ofProject(), 'bug')]).toEqual([
    true,
    false,
  ]);
  const gone = await subscribe(bob, ofProject(), 'bug', false);
  expect([gone.status, bodyOf(gone).subscribed]).toEqual([201, false]);
  expect((await subscribe(bob, ofProject(), 'bug', false)).status).toBe(304);
  expect(await refusal(subscribe(bob, ofProject(), 'none'))).toEqual({
    kind: 'not_found',
    message: '404 Label Not Found',
  });
});

test('a label of a group is subscribed to in one project, or in the group', async () => {
  await create(ofGroup(), 'urgent');
  const places = [ofGroup(), ofProject(), ofProject(other)];
  const states = () => Promise.all(places.map((parent) => isSubscribed(bob, parent, 'urgent')));
  expect((await subscribe(bob, ofProject(), 'urgent')).status).toBe(201);
  expect(await states()).toEqual([false, true, false]);
  expect((await subscribe(bob, ofGroup(), 'urgent')).status).toBe(201);
  expect((await subscribe(bob, ofGroup(), 'urgent')).status).toBe(304);
  expect((await subscribe(bob, ofProject(), 'urgent', false)).status).toBe(201);
  expect(await states()).toEqual([true, false, false]);
});

test('of requests at the same time one changes something', async () => {
  await create(ofGroup(), 'race');
  for (const subscribed of [true, false]) {
    const replies = await Promise.all([1, 2, 3].map(() => subscribe(bob, ofGroup(), 'race', subscribed)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 304, 304]);
  }
});

test('a list says which are subscribed to in its two statements', async () => {
  for (const name of ['a', 'b', 'c']) await create(ofProject(), name);
  await subscribe(bob, ofProject(), 'b');
  const listed = await shown(
    'ProjectLabel',
    labels(bob).listLabels({
      parent: ofProject(),
      page: pageOf(),
      search: '',
      includeAncestorGroups: undefined,
      includeDescendantGroups: false,
      onlyGroupLabels: undefined,
    }),
  );
  expect(listed.map((one: { subscribed: boolean }) => one.subscribed)).toEqual([false, true, false]);
  const viewer = { userId: bob.userId, admin: false, external: false };
  const { statements } = await countStatements(() =>
    labelStore(running.db, writerOf(running.db)).list(
      { kind: 'project', id: project },
      { above: true, below: false, ofProjects: false, viewer },
      { mode: 'offset', page: 1, perPage: 20, orderBy: 'title', sort: 'asc' },
    ),
  );
  expect(statements).toBe(2);
});

test('subscriptions end with their label and with their user', async () => {
  await running.db.query(sql`
    insert into users (username, name, email, user_type) values ('ghost', 'Ghost', 'ghost@example.com', 'ghost')`);
  const root = await running.user('root', { admin: true });
  const leaver = await running.user('leaver');
  await create(ofProject(), 'bug');
  await subscribe(leaver, ofProject(), 'bug');
  await subscribe(bob, ofProject(), 'bug');
  const subscribers = async () =>
    (await running.db.query<{ user_id: number }>(sql`select user_id from label_subscriptions`)).map(
      (row) => row.user_id,
    );
  await running
    .as(root, UserServiceService)
    .deleteUser({ userId: leaver.userId, hardDelete: false, ifUnmodifiedSince: undefined });
  expect(await subscribers()).toEqual([bob.userId]);
  await labels(ada).deleteLabel({ parent: ofProject(), label: 'bug', byTitle: true, ifUnmodifiedSince: undefined });
  expect(await subscribers()).toEqual([]);
});
