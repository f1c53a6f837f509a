import { sql } from '@switchyard/database/sql';
import type { MemberSource } from '@switchyard/protos/groups_admin/v1/member';
import { groupClients, refusal } from '../support/group-clients';
import { bodyOf, pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
let ada: TestUser;
let bob: TestUser;
let eve: TestUser;
let group: number;
let subgroup: number;
let project: number;

beforeAll(async () => {
  running = await runGroups();
  root = await running.user('root', { admin: true });
});

afterAll(() => running.close());

const { members, newGroup, newProject, addMember } = groupClients(() => running);

let round = 0;
beforeEach(async () => {
  round += 1;
  ada = await running.user(`ada${round}`);
  bob = await running.user(`bob${round}`);
  eve = await running.user(`eve${round}`);
  group = (await newGroup(ada, `team${round}`)).id;
  subgroup = (await newGroup(ada, 'sub', { parentId: group })).id;
  project = (await newProject(ada, subgroup, 'code')).id;
});

const inGroup = (id = group): MemberSource => ({ groupId: id, projectId: 0 });
const inProject = (id = project): MemberSource => ({ groupId: 0, projectId: id });
const targetOf = (source: MemberSource) =>
  source.groupId > 0 ? { group: source.groupId } : { project: source.projectId };

const list = async (
  source: MemberSource,
  given: { inherited?: boolean; query?: string; userIds?: number[]; skipUserIds?: number[] } = {},
) => {
  const found = await shown(
    'Member',
    members(ada).listMembers({
      source,
      page: pageOf(),
      query: '',
      userIds: [],
      skipUserIds: [],
      inherited: false,
      ...given,
    }),
  );
  return found.map((member: { username: string; access_level: number }) => [member.username, member.access_level]);
};
const remove = (by: TestUser, source: MemberSource, user: TestUser, skipSubresources = false) =>
  members(by).removeMember({ source, userId: user.userId, skipSubresources }, targetOf(source));
const update = (by: TestUser, source: MemberSource, user: TestUser, accessLevel: number, expiresAt?: string) =>
  shown('Member', members(by).updateMember({ source, userId: user.userId, accessLevel, expiresAt }, targetOf(source)));
const get = (source: MemberSource, user: TestUser, inherited = false) =>
  shown('Member', members(ada).getMember({ source, userId: user.userId, inherited }));
const factsOf = (user: TestUser) =>
  running.db.query<{
    event_id: string;
    body: {
      added?: object;
      changed?: object;
      removed?: { reason: string; directorySequence: string };
      membershipId: string;
    };
  }>(
    sql`select event_id, body from events.outbox where key = ${String(user.userId)} and type like 'membership%' order by id`,
  );

test('members of the groups above are members below, each once with the highest level', async () => {
  await addMember(ada, { group }, bob, 30);
  await addMember(ada, { project }, bob, 40);
  await addMember(ada, { project }, eve, 20);
  expect(await list(inProject())).toEqual([
    [bob.username, 40],
    [eve.username, 20],
  ]);
  expect(await list(inProject(), { inherited: true })).toEqual([
    [ada.username, 50],
    [bob.username, 40],
    [eve.username, 20],
  ]);
  expect(await list(inGroup(subgroup), { inherited: true })).toEqual([
    [ada.username, 50],
    [bob.username, 30],
  ]);
  expect(await list(inProject(), { inherited: true, query: bob.username })).toEqual([[bob.username, 40]]);
  expect(await list(inProject(), { inherited: true, userIds: [eve.userId] })).toEqual([[eve.username, 20]]);
  expect(await list(inProject(), { inherited: true, skipUserIds: [ada.userId, eve.userId] })).toEqual([
    [bob.username, 40],
  ]);
  expect(await list(inProject(), { skipUserIds: [bob.userId] })).toEqual([[eve.username, 20]]);
  expect(await get(inProject(), ada, true)).toMatchObject({ access_level: 50 });
  expect(await refusal(get(inProject(), ada))).toEqual({ kind: 'not_found', message: '404 Not found' });
});

test('a query finds public e-mails, and private ones only for administrators', async () => {
  await addMember(ada, { group }, bob, 30);
  await addMember(ada, { group }, eve, 30);
  await running.db.query(sql`update users set public_email = 'eve@public.example' where id = ${eve.userId}`);
  const found = async (by: TestUser | undefined, query: string, inherited: boolean) => {
    const request = { source: inGroup(), page: pageOf(), query, userIds: [], skipUserIds: [], inherited };
    return bodyOf(await members(by).listMembers(request, { group })).map(({ id }: { id: number }) => id);
  };
  for (const inherited of [false, true]) {
    for (const by of [undefined, bob, ada]) {
      expect(await found(by, `${bob.username}@example.com`, inherited)).toEqual([]);
      expect(await found(by, 'Eve@public.example', inherited)).toEqual([eve.userId]);
    }
    expect(await found(root, `${bob.username.toUpperCase()}@example.com`, inherited)).toEqual([bob.userId]);
    expect(await found(root, 'eve@public.example', inherited)).toEqual([eve.userId]);
  }
});

test('one user twice is a conflict, an unknown one not found', async () => {
  await addMember(ada, { group }, bob, 30);
  expect(await refusal(addMember(ada, { group }, bob, 40))).toEqual({
    kind: 'conflict',
    message: 'Member already exists',
  });
  expect(await refusal(addMember(ada, { group }, { ...bob, userId: 999_999 }, 30))).toEqual({
    kind: 'not_found',
    message: '404 User Not Found',
  });
});

test('of several at once for one user one succeeds', async () => {
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => addMember(ada, { group }, bob, 30)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const result of results) {
    if (result.status === 'rejected')
      expect(await refusal(Promise.reject(result.reason))).toMatchObject({ kind: 'conflict' });
  }
});

test('a list of users adds those it can and says what became of the others', async () => {
  await addMember(ada, { group }, bob, 30);
  const add = (usernames: string[]) =>
    shown(
      'AddedMembers',
      members(ada).addMembers({ source: inGroup(), userIds: [], usernames, accessLevel: 20, expiresAt: '' }, { group }),
    );
  expect(await add([bob.username, eve.username.toUpperCase(), 'nobody'])).toEqual({
    status: 'error',
    message: { [bob.username]: 'Member already exists', nobody: '404 User Not Found' },
  });
  expect(await list(inGroup())).toContainEqual([eve.username, 20]);
});

test('no one gives, changes or removes more than they have', async () => {
  await addMember(ada, { project }, bob, 40);
  expect(await refusal(addMember(bob, { project }, eve, 50))).toMatchObject({ kind: 'forbidden' });
  await addMember(ada, { project }, eve, 50);
  expect(await refusal(update(bob, inProject(), eve, 30))).toMatchObject({ kind: 'forbidden' });
  expect(await refusal(remove(bob, inProject(), eve))).toMatchObject({ kind: 'forbidden' });
  expect(await update(ada, inProject(), eve, 30)).toMatchObject({ access_level: 30 });
});

test('a membership below is worth no less than the one above', async () => {
  await addMember(ada, { group }, bob, 30);
  expect(await refusal(addMember(ada, { project }, bob, 20))).toEqual({
    kind: 'invalid',
    message: { access_level: ['should be greater than or equal to Developer inherited membership'] },
  });
});

test('minimal access opens groups only', async () => {
  expect(await addMember(ada, { group }, bob, 5)).toMatchObject({ access_level: 5 });
  expect(await refusal(addMember(ada, { project }, eve, 5))).toMatchObject({ kind: 'invalid' });
});

test('members leave, Owners remove others, and outsiders do neither', async () => {
  await addMember(ada, { group }, bob, 30);
  await addMember(ada, { group }, eve, 30);
  expect(await refusal(remove(bob, inGroup(), eve))).toMatchObject({ kind: 'forbidden' });
  expect((await remove(bob, inGroup(), bob)).status).toBe(204);
  expect(await refusal(remove(ada, inGroup(), bob))).toEqual({ kind: 'not_found', message: '404 Not found' });
  expect((await remove(ada, inGroup(), eve)).status).toBe(204);
  expect((await factsOf(bob)).map(({ body }) => body.removed?.reason)).toEqual([undefined, 'REASON_LEFT']);
  expect((await factsOf(eve)).map(({ body }) => body.removed?.reason)).toEqual([undefined, 'REASON_REMOVED']);
  // Readers wait for this sequence: the membership is deleted from the directory there, and not before.
  const last = (await factsOf(eve)).at(-1)?.body;
  const [change] = await running.db.query<{ sequence: number; deleted: boolean }>(sql`
    select sequence, deleted from directory_changes
    where entity = 'membership' and entity_id = ${Number(last?.membershipId)} order by sequence desc limit 1`);
  expect(change).toEqual({ sequence: Number(last?.removed?.directorySequence), deleted: true });
});

test('removal from a group reaches what lies below, by default', async () => {
  await addMember(ada, { group }, bob, 30);
  await addMember(ada, { project }, bob, 40);
  await remove(ada, inGroup(), bob, true);
  expect(await list(inProject())).toEqual([[bob.username, 40]]);
  await addMember(ada, { group }, bob, 30);
  await remove(ada, inGroup(), bob);
  expect(await list(inProject())).toEqual([]);
});

test('the last Owner stays, also when two of them leave at once', async () => {
  expect(await refusal(remove(ada, inGroup(), ada))).toMatchObject({ kind: 'forbidden' });
  expect(await refusal(update(root, inGroup(), ada, 40))).toMatchObject({ kind: 'forbidden' });
  await addMember(ada, { group }, bob, 50);
  const results = await Promise.allSettled([remove(ada, inGroup(), ada), remove(bob, inGroup(), bob)]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('an expired membership is none at once, and is cleared away later', async () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  expect(await addMember(ada, { group }, bob, 30, tomorrow)).toMatchObject({ expires_at: tomorrow });
  expect(await refusal(addMember(ada, { group }, eve, 30, '2020-01-01'))).toEqual({
    kind: 'invalid',
    message: { expires_at: ['cannot be a date in the past'] },
  });
  // Not now itself: the column rounds to milliseconds, which may be up.
  const expire = () =>
    running.db.query(
      sql`update memberships set expires_at = now() - interval '1 second' where user_id = ${bob.userId}`,
    );
  await expire();
  expect(await list(inGroup())).toEqual([[ada.username, 50]]);
  expect(await list(inGroup(), { inherited: true })).toEqual([[ada.username, 50]]);
  expect(await refusal(get(inGroup(), bob))).toMatchObject({ kind: 'not_found' });
  expect(await refusal(update(ada, inGroup(), bob, 40))).toMatchObject({ kind: 'not_found' });
  expect(await addMember(ada, { group }, bob, 20)).toMatchObject({ access_level: 20, expires_at: null });
  await expire();
  await running.purge();
  expect(await running.db.query(sql`select 1 from memberships where user_id = ${bob.userId}`)).toEqual([]);
  const facts = await factsOf(bob);
  expect(facts.at(-1)?.body.removed?.reason).toBe('REASON_EXPIRED');
});

test('expiry is kept, changed and taken away', async () => {
  await addMember(ada, { group }, bob, 30, '2099-12-31');
  expect(await update(ada, inGroup(), bob, 20)).toMatchObject({ access_level: 20, expires_at: '2099-12-31' });
  expect(await update(ada, inGroup(), bob, 20, '2098-01-01')).toMatchObject({ expires_at: '2098-01-01' });
  expect(await update(ada, inGroup(), bob, 20, '')).toMatchObject({ expires_at: null });
  // The change of the level is published, and nothing else.
  expect((await factsOf(bob)).map(({ body }) => body.changed)).toEqual([
    undefined,
    { accessLevel: 20, oldAccessLevel: 30 },
  ]);
});

test('the owner of a namespace stays Owner of the projects in it', async () => {
  const own = (await newProject(bob, 0, 'own')).id;
  expect(await refusal(remove(bob, inProject(own), bob))).toMatchObject({ kind: 'forbidden' });
  expect(await refusal(update(root, inProject(own), bob, 30))).toMatchObject({ kind: 'forbidden' });
});
