import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { StarServiceService } from '@switchyard/protos/groups_admin/v1/star';
import { ChangeUserStateRequest_Change as Change, UserServiceService } from '@switchyard/protos/groups_admin/v1/user';
import { starStore } from '../../src/projects/storage/star.store';
import { groupClients, refusal } from '../support/group-clients';
import { allProjects } from '../support/requests';
import { bodyOf, pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
let ada: TestUser;
let people: TestUser[];

beforeAll(async () => {
  running = await runGroups();
  root = await running.user('root', { admin: true });
  ada = await running.user('ada');
  await running.db.query(sql`
    insert into users (username, name, email, user_type) values ('ghost', 'Ghost', 'ghost@example.com', 'ghost')`);
  people = [];
  for (const name of ['bob', 'carl', 'dora', 'eve']) people.push(await running.user(name));
});
afterAll(() => running.close());

const { projects, newProject } = groupClients(() => running);
let round = 0;
let project: number;
beforeEach(async () => {
  round += 1;
  project = (await newProject(ada, ada.namespaceId, `p${round}`, { visibility: 'public' })).id;
});

/** Projects whose count is not that of their active starrers. */
const miscounted = () =>
  running.db.query(sql`
    select p.id, p.star_count from projects p where p.star_count <> (
      select count(*) from project_stars s join users u on u.id = s.user_id where s.project_id = p.id and u.state = 'active')`);
afterEach(async () => expect(await miscounted()).toEqual([]));

const stars = (user?: TestUser) => running.as(user, StarServiceService);
const star = (user: TestUser, starred = true) =>
  stars(user).setProjectStar({ projectId: project, starred }, { project });
const starCount = async () =>
  bodyOf(await projects(ada).getProject({ projectId: project }, { project })).star_count as number;
const starrers = async (user: TestUser | undefined, search = ''): Promise<string[]> =>
  (await shown('Starrer', stars(user).listProjectStarrers({ projectId: project, page: pageOf(), search }))).map(
    (one: { user: { username: string } }) => one.user.username,
  );
const starredBy = async (viewer: TestUser | undefined, user: string) =>
  bodyOf(await projects(viewer).listProjects({ ...allProjects, page: pageOf({ perPage: 100 }), starredBy: user })).map(
    ({ id }: { id: number }) => id,
  );

test('a project is starred once, and shows it (G §10 Projects)', async () => {
  const [bob] = people as [TestUser];
  const first = await star(bob);
  expect([first.status, bodyOf(first).star_count]).toEqual([201, 1]);
  expect((await star(bob)).status).toBe(304);
  expect(await starredBy(bob, 'bob')).toContain(project);
  expect(await starredBy(undefined, String(bob.userId))).toContain(project);
  const gone = await star(bob, false);
  expect([gone.status, bodyOf(gone).star_count]).toEqual([201, 0]);
  expect((await star(bob, false)).status).toBe(304);
  expect(await refusal(stars(bob).setProjectStar({ projectId: 999_999, starred: true }))).toMatchObject({
    kind: 'not_found',
  });
  expect(await refusal(starredBy(bob, 'nobody'))).toMatchObject({ kind: 'not_found', message: '404 User Not Found' });
});

test('stars that are given and removed at the same time are all counted', async () => {
  await Promise.all(people.flatMap((one) => [star(one), star(one)]));
  expect(await starCount()).toBe(people.length);
  await Promise.all(people.flatMap((one) => [star(one, false), star(one, true), star(one, false)]));
  await Promise.all(people.map((one) => star(one)));
  expect(await starCount()).toBe(people.length);
});

test('stars of users who are blocked or deleted do not count, and come back with an unblocked user', async () => {
  const users = running.as(root, UserServiceService);
  const [, , dora, eve] = people as [TestUser, TestUser, TestUser, TestUser];
  const leavers = await Promise.all(['x', 'y', 'z'].map((name) => running.user(`${name}${round}`)));
  await Promise.all([dora, eve, ...leavers].map((one) => star(one)));
  const [blocked, deleted, late] = leavers as [TestUser, TestUser, TestUser];
  const change = (how: Change) => users.changeUserState({ userId: blocked.userId, change: how });
  await Promise.all([
    change(Change.CHANGE_BLOCK),
    users.deleteUser({ userId: deleted.userId, hardDelete: false, ifUnmodifiedSince: undefined }),
    star(late, false),
    star(dora, false),
  ]);
  expect(await starrers(root)).toEqual(['eve']);
  expect(await starCount()).toBe(1);
  await change(Change.CHANGE_UNBLOCK);
  expect(await starCount()).toBe(2);
  // The star is given while the account is blocked, or before: it counts in neither case.
  await Promise.all([change(Change.CHANGE_BLOCK), star(late), star(blocked, false), star(blocked)]);
  expect(await starrers(root)).toEqual(expect.arrayContaining([`z${round}`, 'eve']));
  expect(await starCount()).toBe(2);
});

test('the purge of a starred project and the blocking of its starrers do not stop each other', async () => {
  const [bob] = people as [TestUser];
  await star(bob);
  await projects(ada).deleteProject({ projectId: project, ifUnmodifiedSince: undefined }, { project });
  const block = running
    .as(root, UserServiceService)
    .changeUserState({ userId: bob.userId, change: Change.CHANGE_BLOCK });
  await Promise.all([running.purge(), block]);
  // The first purge passes over a project that the blocking holds locked.
  await running.purge();
  expect(await running.db.query(sql`select from project_stars where project_id = ${project}`)).toEqual([]);
});

test('starrers are the latest first, searched by name, without private profiles of others', async () => {
  const [, carl, dora, eve] = people as [TestUser, TestUser, TestUser, TestUser];
  for (const one of [carl, dora, eve]) await star(one);
  await running.db.query(sql`
    update project_stars set created_at = now() + user_id * interval '1 second' where project_id = ${project}`);
  expect(await starrers(undefined)).toEqual(['eve', 'dora', 'carl']);
  expect(await starrers(undefined, 'DOR')).toEqual(['dora']);
  await running.db.query(sql`update users set private_profile = true where id = ${dora.userId}`);
  expect(await starrers(eve)).toEqual(['eve', 'carl']);
  expect(await starrers(dora)).toContain('dora');
  expect(await starrers(root)).toContain('dora');
  expect(await starredBy(eve, 'dora')).toEqual([]);
  expect(await starredBy(dora, 'dora')).toContain(project);
  expect(await starredBy(root, 'dora')).toContain(project);
});

test('a list of starrers is two statements', async () => {
  for (const one of people.slice(1)) await star(one);
  const viewer = { userId: root.userId, admin: true, external: false };
  const page = { mode: 'offset', page: 1, perPage: 20, orderBy: 'starred_since', sort: 'desc' } as const;
  const { result, statements } = await countStatements(() =>
    starStore(running.db).starrers(project, undefined, page, viewer),
  );
  expect([result.rows.length, statements]).toEqual([3, 2]);
});
