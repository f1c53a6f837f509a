import { randomUUID } from 'node:crypto';
import { sql } from '@switchyard/database/sql';
import {
  type CreateImportedProjectRequest,
  ImportedProjectServiceService,
} from '@switchyard/protos/groups_admin/v1/imported_project';
import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { MilestoneServiceService } from '@switchyard/protos/groups_admin/v1/milestone';
import { PlaceholderUserServiceService } from '@switchyard/protos/groups_admin/v1/placeholder_user';
import { ProjectRecordServiceService } from '@switchyard/protos/rpc/v1/project_record';
import { isNoInternalUser, userKind } from '../../src/directory';
import { userChanges } from '../../src/directory/storage/directory-user-rows';
import { groupClients, refusal } from '../support/group-clients';
import { pngOf } from '../support/pictures';
import { bodyOf, pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let ada: TestUser;
let bob: TestUser;

beforeAll(async () => {
  running = await runGroups();
  ada = await running.user('ada');
  bob = await running.user('bob');
});
afterAll(() => running.close());

const { labels, milestones, projects, newGroup, newProject, addMember } = groupClients(() => running);
const asImports = (user?: TestUser) => running.asService('imports-exports', ImportedProjectServiceService, user);

let made = 0;
const create = (given: Partial<CreateImportedProjectRequest> = {}, user = ada) => {
  made += 1;
  const request = { key: randomUUID(), namespace: 'ada', name: `things-${made}`, path: '', description: 'Things' };
  const forge = { private: true, defaultBranch: 'trunk', importType: 'github', importSource: 'octo/things' };
  return asImports(user).createImportedProject({ ...request, ...forge, ...given });
};
const read = (id: number) => shown('Project', projects(ada).getProject({ projectId: id }, { project: id }));

it('makes the project of an import once, private where it is at the forge (G-4.19-1)', async () => {
  const key = randomUUID();
  const one = await create({ key, name: 'engines' });
  expect(one).toMatchObject({ fullPath: 'ada/engines', importStatus: 'scheduled', importSource: 'octo/things' });
  expect(one.directorySequence).toBeGreaterThan(0);
  expect(await create({ key, name: 'engines' })).toMatchObject({ projectId: one.projectId });
  expect(await read(one.projectId)).toMatchObject({
    ...{ visibility: 'private', default_branch: 'trunk', description: 'Things', import_type: 'github' },
    import_status: 'scheduled',
  });
});

it('of two imports with one key at a time one makes the project', async () => {
  const key = randomUUID();
  const both = await Promise.all([create({ key, name: 'twice' }), create({ key, name: 'twice' })]);
  expect(new Set(both.map(({ projectId }) => projectId)).size).toBe(1);
});

it('lets in whom it is asked to, by id, though another user has the name since (ADR 67)', async () => {
  const { projectId } = await create();
  const write = (kind: string, record: object) =>
    running.asService('imports-exports', ProjectRecordServiceService).writeProjectRecords({
      ...{ projectId, kind, importerId: ada.userId, forEverybody: false, checkOnly: false, standIns: undefined },
      lines: Buffer.from(`${JSON.stringify(record)}\n`),
    });
  const one = { access_level: 30, expires_at: null, created_at: new Date().toISOString() };
  const named = await running.user('carla');
  for (const _ of [1, 2])
    expect(await write('collaborators', { ...one, user_id: bob.userId, username: named.username })).toEqual({
      ...{ written: 1, unknown: [], leftOut: [] },
    });
  expect(await write('members', { ...one, user_id: ada.userId, username: named.username })).toEqual({
    ...{ written: 1, unknown: [], leftOut: [] },
  });
  const [stranger, reason] = ['No-Body', 'There is no user with this username'];
  expect(await write('members', { ...one, username: stranger })).toEqual({
    ...{ written: 0, unknown: [], leftOut: [{ item: stranger, reason }] },
  });
  expect(
    await running.db.query(sql`
      select user_id as id, access_level as level from memberships
      where project_id = ${projectId} and user_id <> ${ada.userId} order by user_id`),
  ).toEqual([
    { id: bob.userId, level: 30 },
    { id: named.userId, level: 30 },
  ]);
});

it('has the picture of its archive, which goes out again', async () => {
  const { projectId } = await create();
  const records = () => running.asService('imports-exports', ProjectRecordServiceService);
  const write = (filename: string, checkOnly: boolean) =>
    records().writeProjectRecords({
      ...{ projectId, kind: 'project', importerId: ada.userId, forEverybody: false, standIns: undefined, checkOnly },
      lines: Buffer.from(`${JSON.stringify({ avatar: { filename, content: pngOf().toString('base64') } })}\n`),
    });
  const out = async () => {
    const { lines } = await records().readProjectRecords({ projectId, kind: 'project', after: 0 });
    return JSON.parse(lines.toString()).avatar;
  };
  expect(await out()).toBeNull();
  for (const _ of [1, 2]) await write('logo.png', false);
  expect((await read(projectId)).avatar_url).toMatch(new RegExp(`/project/avatar/${projectId}/logo\\.png$`));
  expect(await out()).toEqual({ filename: 'logo.png', content: pngOf().toString('base64') });
  expect(await refusal(write('logo.gif', true))).toMatchObject({
    kind: 'unprocessable',
    message: expect.stringContaining('avatar: is not of the format that its name says'),
  });
});

it('is as visible as its group lets it be, and needs the role Maintainer there (G-4.19-9)', async () => {
  const group = await newGroup(ada, 'hidden', { visibility: 'private' });
  const { projectId } = await create({ namespace: 'hidden', private: false });
  expect((await read(projectId)).visibility).toBe('private');
  expect(await refusal(create({ namespace: 'hidden' }, bob))).toMatchObject({ kind: 'not_found' });
  await addMember(ada, { group: group.id }, bob, 30);
  expect(await refusal(create({ namespace: 'hidden' }, bob))).toMatchObject({ kind: 'forbidden' });
  expect(await refusal(create({ namespace: 'nowhere' }))).toMatchObject({ kind: 'not_found' });
});

it('a group that is closed to the address is none, but for administrators (G-4.15-6)', async () => {
  const group = await newGroup(ada, 'fenced');
  const below = await newGroup(ada, 'inner', { parentId: group.id });
  await running.db.query(sql`
    update namespaces set settings = settings || '{"ip_restriction_ranges": "192.0.2.0/24"}' where id = ${group.id}`);
  for (const namespace of ['fenced', 'fenced/inner', String(below.id)]) {
    for (const address of ['203.0.113.5', ''])
      expect(await refusal(create({ namespace, address }))).toEqual(await refusal(create({ namespace: 'nowhere' })));
    expect((await create({ namespace, address: '::ffff:192.0.2.9' })).importStatus).toBe('scheduled');
    expect((await create({ namespace, address: undefined })).importStatus).toBe('scheduled');
  }
  expect((await create({ address: '203.0.113.5' })).fullPath).toMatch(/^ada\//);
  const root = await running.user('fencedroot', { admin: true });
  expect((await create({ namespace: 'fenced', address: '203.0.113.5' }, root)).importStatus).toBe('scheduled');
});

it('refuses what no project can be, and what is taken', async () => {
  await create({ name: 'taken' });
  expect(await refusal(create({ name: 'taken' }))).toMatchObject({
    kind: 'invalid',
    message: { name: ['has already been taken'], path: ['has already been taken'] },
  });
  expect(await refusal(create({ name: '.github' }))).toMatchObject({ kind: 'invalid' });
});

it('records how an import stands; what has ended stays so until it is scheduled again (G-3-4)', async () => {
  const { projectId } = await create();
  const service = asImports();
  const set = async (status: string, error = '') => {
    await service.setImportStatus({ projectId, status, error });
    const { importStatus, importError } = await service.getImportedProject({ projectId });
    return [importStatus, importError];
  };
  expect(await set('started')).toEqual(['started', '']);
  expect(await set('failed', 'The forge is gone')).toEqual(['failed', 'The forge is gone']);
  expect(await set('started')).toEqual(['failed', 'The forge is gone']);
  expect(await set('canceled')).toEqual(['failed', 'The forge is gone']);
  expect(await set('scheduled')).toEqual(['scheduled', '']);
  expect(await set('canceled')).toEqual(['canceled', '']);
  expect(await set('finished')).toEqual(['canceled', '']);
  expect(await read(projectId)).toMatchObject({ import_status: 'canceled' });
  expect(await refusal(service.getImportedProject({ projectId: 999_999 }))).toMatchObject({ kind: 'not_found' });
});

it('adds labels and milestones with their numbers, twice as once, and publishes nothing of it (D6)', async () => {
  const { projectId } = await create();
  const label = (title: string, color = '#ff0000') => ({ title, color, description: '' });
  const at = new Date('2020-01-02T03:04:05.000Z');
  const milestone = (iid: number, title: string) => ({
    ...{ iid, title, description: 'd', closed: iid === 7, dueDate: iid === 7 ? '2020-02-03' : '' },
    ...{ createdAt: at, updatedAt: at },
  });
  const published = () => running.db.query(sql`select event_id from events.outbox where event_id like 'milestone_%'`);
  const before = await published();
  for (let round = 0; round < 2; round += 1) {
    const given = [label('bug 🐛'), label('a,b'), label(' '), label('odd', 'red-ish')];
    expect(
      await running.asService('imports-exports', LabelServiceService).importLabels({ projectId, labels: given }),
    ).toEqual({ imported: 2 });
    expect(
      await running
        .asService('imports-exports', MilestoneServiceService)
        .importMilestones({ projectId, milestones: [milestone(7, 'v1'), milestone(9, 'v2'), milestone(0, 'none')] }),
    ).toEqual({ imported: 2 });
  }
  expect(await published()).toEqual(before);
  const parent = { projectId, groupId: 0 };
  const all = { parent, search: '', includeAncestorGroups: undefined, includeDescendantGroups: false };
  const listed = bodyOf(
    await labels(ada).listLabels({ ...all, page: pageOf({}), onlyGroupLabels: undefined }, { project: projectId }),
  );
  expect(listed.map(({ name, color }: { name: string; color: string }) => [name, color])).toEqual([
    ['bug 🐛', '#ff0000'],
    ['odd', '#6699cc'],
  ]);
  const next = await shown(
    'ProjectMilestone',
    milestones(ada).createMilestone({ parent, title: 'v3', description: '', dueDate: '', startDate: '' }),
  );
  expect(next.iid).toBe(10);
  const rows = await running.db.query(sql`
    select iid, state, due_date::text as due, created_at as at from milestones where project_id = ${projectId} and iid < 10 order by iid`);
  expect(rows).toEqual([
    { iid: 7, state: 'closed', due: '2020-02-03', at },
    { iid: 9, state: 'active', due: null, at },
  ]);
});

it('gives milestones of a forge the next numbers where some made meanwhile have theirs, twice as once', async () => {
  const { projectId } = await create();
  const add = (title: string) =>
    milestones(ada).createMilestone({
      ...{ parent: { projectId, groupId: 0 }, title, description: '', dueDate: '', startDate: '' },
    });
  const milestone = (iid: number, title: string, isDated = true) => {
    const at = isDated ? new Date(Date.UTC(2020, 0, iid)) : undefined;
    return { iid, title, description: '', closed: false, dueDate: '', createdAt: at, updatedAt: at };
  };
  const bring = (...given: ReturnType<typeof milestone>[]) =>
    running.asService('imports-exports', MilestoneServiceService).importMilestones({ projectId, milestones: given });
  const found = () =>
    running.db.query(sql`select iid, title from milestones where project_id = ${projectId} order by iid`);
  await add('mine');
  await Promise.all([bring(milestone(1, 'v1'), milestone(2, ' v2 ')), bring(milestone(3, 'Cafe\u0301'))]);
  await add('mine too');
  const before = await found();
  expect(before.map(({ title }) => title).sort()).toEqual(['Café', 'mine', 'mine too', 'v1', 'v2']);
  expect(before).toEqual(expect.arrayContaining(['mine', 'v2'].map((title, of) => ({ iid: of + 1, title }))));
  // Again; one has another title at the forge since, and one of a forge that does not date them has a taken number.
  await bring(milestone(1, 'v1'), milestone(2, 'v2.0'), milestone(3, 'Cafe\u0301'));
  await bring(milestone(1, 'undated', false));
  expect(await found()).toEqual(before);
});

it('gives milestones of groups numbers that those of the project leave, in whatever order they come', async () => {
  const records = running.asService('imports-exports', ProjectRecordServiceService);
  const group = (await newGroup(ada, 'above')).id;
  const home = (await newProject(ada, group, 'home')).id;
  const add = (parent: { groupId: number; projectId: number }, title: string) =>
    milestones(ada).createMilestone({ parent, title, description: '', dueDate: '', startDate: '' });
  await add({ groupId: group, projectId: 0 }, 'G1');
  await add({ groupId: 0, projectId: home }, 'M1');
  await add({ groupId: 0, projectId: home }, 'both');
  await add({ groupId: group, projectId: 0 }, 'both');
  const { lines } = await records.readProjectRecords({ projectId: home, kind: 'milestones', after: 0 });
  const given = lines.toString().trimEnd().split('\n');
  expect(given.map((line) => JSON.parse(line)).map(({ iid, title, group }) => [iid, title, group])).toEqual([
    ...[[1, 'M1', false] as const, [2, 'both', false] as const],
    ...[[1, 'G1', true] as const, [2, 'both', true] as const],
  ]);
  const { projectId } = await create();
  const write = (page: readonly string[], checkOnly: boolean) =>
    records.writeProjectRecords({
      ...{ projectId, kind: 'milestones', importerId: ada.userId, forEverybody: false, checkOnly },
      ...{ standIns: undefined, lines: Buffer.from(`${page.join('\n')}\n`) },
    });
  const pages = [given.slice(2, 3), given.slice(0, 2), given.slice(3)];
  for (const page of pages) await write(page, true);
  await add({ groupId: 0, projectId }, 'made meanwhile');
  for (const page of [...pages, ...pages]) await write(page, false);
  await add({ groupId: 0, projectId }, 'next');
  expect(
    await running.db.query(sql`select iid, title from milestones where project_id = ${projectId} order by iid`),
  ).toEqual(['M1', 'both', 'made meanwhile', 'G1', 'next'].map((title, at) => ({ iid: at + 1, title })));
});

it('takes labels and milestones of its groups where an import has some of their titles, twice as once', async () => {
  const group = (await newGroup(ada, 'titled')).id;
  const inner = await newGroup(ada, 'inside', { parentId: group });
  const { projectId } = await create({ namespace: String(inner.id) });
  const add = (parent: { groupId: number; projectId: number }, title: string) =>
    milestones(ada).createMilestone({ parent, title, description: '', dueDate: '', startDate: '' });
  await add({ groupId: group, projectId: 0 }, 'v1');
  await running.db.query(sql`insert into labels (namespace_id, title, color) values (${group}, 'bug', '#00ff00')`);
  const at = new Date('2020-01-02T03:04:05.000Z');
  const milestone = (iid: number, title: string) => ({
    ...{ iid, title, description: '', closed: false, dueDate: '', createdAt: at, updatedAt: at },
  });
  const label = (title: string) => ({ title, color: '#ff0000', description: '' });
  const record = (title: string) =>
    JSON.stringify({
      title,
      color: '#ff0000',
      description: null,
      archived: false,
      priority: null,
      group: false,
      created_at: at,
      updated_at: at,
    });
  for (let round = 0; round < 2; round += 1) {
    expect(
      await running
        .asService('imports-exports', LabelServiceService)
        .importLabels({ projectId, labels: [label('bug'), label('own')] }),
    ).toEqual({ imported: 2 });
    expect(
      await running
        .asService('imports-exports', MilestoneServiceService)
        .importMilestones({ projectId, milestones: [milestone(1, 'v2'), milestone(2, 'v1')] }),
    ).toEqual({ imported: 2 });
    await running.asService('imports-exports', ProjectRecordServiceService).writeProjectRecords({
      ...{ projectId, kind: 'labels', importerId: ada.userId, forEverybody: false, checkOnly: false },
      ...{ standIns: undefined, lines: Buffer.from(`${record('bug')}\n`) },
    });
  }
  await add({ groupId: 0, projectId }, 'next');
  expect(await running.db.query(sql`select title from labels where project_id = ${projectId}`)).toEqual([
    { title: 'own' },
  ]);
  // The forge's number 2 stays free: whatever names it means the one of the group.
  expect(
    await running.db.query(sql`select iid, title from milestones where project_id = ${projectId} order by iid`),
  ).toEqual([
    { iid: 1, title: 'v2' },
    { iid: 3, title: 'next' },
  ]);
});

describe('placeholder users', () => {
  const placeholders = () => running.asService('imports-exports', PlaceholderUserServiceService);
  const person = { foreignId: '583231', login: 'octo.cat', name: 'Mona' };

  it('are there once for each person of a project, and nobody acts as them', async () => {
    const { projectId } = await create();
    const wanted = { ...person, projectId };
    const all = await Promise.all([1, 2, 3].map(() => placeholders().createPlaceholderUser(wanted)));
    const { userId } = all[0] ?? { userId: 0 };
    expect(new Set(all.map((one) => one.userId))).toEqual(new Set([userId]));
    expect(all[0]?.directorySequence).toBeGreaterThan(0);
    const [row] = await running.db.query(sql`select username, name, user_type, state from users where id = ${userId}`);
    expect(row).toEqual({
      ...{ username: `octo_cat_placeholder_${userId}`, name: 'Placeholder Mona', user_type: 'bot' },
      state: 'active',
    });
    const { db } = running;
    const [fed] = await userChanges(db, [userId]);
    expect(fed?.row).toMatchObject({ value: { kind: 'placeholder', bot: true, confirmedEmails: [] } });
    const [shownUser] = await db.query<{ kind: string }>(sql`
      select ${userKind} as kind from users u where u.id = ${userId} and not ${isNoInternalUser}`);
    expect(shownUser).toEqual({ kind: 'placeholder' });
    const other = await create();
    const elsewhere = await placeholders().createPlaceholderUser({ ...person, projectId: other.projectId });
    expect(elsewhere.userId).not.toBe(userId);
    expect(await refusal(placeholders().createPlaceholderUser({ ...person, projectId: 999_999 }))).toMatchObject({
      kind: 'not_found',
    });
    expect(await refusal(placeholders().createPlaceholderUser({ ...wanted, foreignId: '' }))).toMatchObject({
      kind: 'invalid_params',
    });
    await addMember(ada, { project: projectId }, { ...bob, userId }, 30).catch(() => undefined);
    expect(await running.db.query(sql`select 1 from memberships where user_id = ${userId}`)).toEqual([]);
  });

  it('are removed once they are replaced, and nobody else is', async () => {
    const { projectId } = await create();
    const { userId } = await placeholders().createPlaceholderUser({ ...person, projectId });
    await running.db.query(sql`
      insert into users (username, name, email, user_type) values ('ghost', 'Ghost', 'ghost@example.com', 'ghost')`);
    const exist = async (id: number) => running.db.query(sql`select id from users where id = ${id}`);
    await placeholders().removePlaceholderUser({ projectId, userId: bob.userId });
    await placeholders().removePlaceholderUser({ projectId: projectId + 1, userId });
    expect(await exist(userId)).toHaveLength(1);
    for (let round = 0; round < 2; round += 1) await placeholders().removePlaceholderUser({ projectId, userId });
    expect(await exist(userId)).toEqual([]);
    expect(await exist(bob.userId)).toHaveLength(1);
  });
});
