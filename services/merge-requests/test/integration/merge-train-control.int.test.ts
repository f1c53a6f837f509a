import { countStatements, type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { presentMergeTrainControl } from '../../src/merge-trains/presenters/merge-train-control.presenter';
import { trainControlOf } from '../../src/merge-trains/storage/merge-train-control.list';
import { trainControlStore } from '../../src/merge-trains/storage/merge-train-control.store';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;

const externalUrl = 'https://forge.example';
const sha = 'a'.repeat(40);
const main = { projectId: 1, targetBranch: 'main' };
const ada = 3;

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'test' });
  await db.query(sql`
    insert into directory.users (id, username, name, state, admin, external, bot)
    values (3, 'ada', 'Ada', 'active', false, false, false), (4, 'ghost', 'Ghost User', 'active', false, false, true)`);
  await db.query(sql`
    insert into directory.users (id, username, name, state, admin, external, bot, deleted_at, ghost_id)
    values (5, 'gone', 'Gone', 'active', false, false, false, now(), 4)`);
  await db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (1, 'group', 'Group', 'group', 'group', 'Group', '{1}', 'private', false)`);
  await db.query(sql`
    insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
      merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
      only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
      repository_access_level, initialize_with_readme)
    values (1, 1, 'P', 'p1', 'private', 'main', false, false, 1, 'merge', 'default_off', false, false, false, false, true, true,
      'enabled', false)`);
});
afterAll(async () => {
  await db?.close();
  await database?.close();
});

let trainId: number;
beforeEach(async () => {
  await db.query(sql`delete from merge_trains`);
  await db.query(sql`delete from jobs`);
  const [row] = await db.query<{ id: number }>(sql`
    insert into merge_trains (project_id, target_branch, created_at) values (1, 'main', '2026-01-01T00:00:00Z') returning id`);
  trainId = row?.id as number;
});

const control = (state: 'running' | 'paused' | 'draining', reason?: string, until?: Date, actor = ada) =>
  trainControlStore(db).control(trainId, { state, reason, until }, actor);

async function shown() {
  const view = await trainControlOf(db, main);
  return view && presentMergeTrainControl(view, externalUrl);
}

const version = async () =>
  (await db.one<{ version: number }>(sql`select version from merge_trains where id = ${trainId}`))?.version;

test('a train runs until someone decides otherwise; a branch without one has no control', async () => {
  expect(await shown()).toEqual({
    target_branch: 'main',
    state: 'running',
    reason: null,
    until: null,
    updated_at: '2026-01-01T00:00:00.000Z',
    updated_by: null,
    probe: null,
    changes: [],
  });
  expect(await trainControlOf(db, { ...main, targetBranch: 'next' })).toBeUndefined();
  expect(await trainControlStore(db).trainOf(1, 'next')).toBeUndefined();
  expect(await trainControlStore(db).trainOf(1, 'main')).toBe(trainId);
});

test('a change is kept with who made it, and the train is looked at; the same again changes nothing', async () => {
  const until = new Date('2026-04-01T00:00:00.125Z');
  await control('paused', 'the release', until);
  const first = await shown();
  expect(first).toMatchObject({
    state: 'paused',
    reason: 'the release',
    until: '2026-04-01T00:00:00.125Z',
    updated_by: { id: ada, username: 'ada', web_url: 'https://forge.example/ada' },
  });
  expect(first?.changes).toEqual([
    {
      state: 'paused',
      reason: 'the release',
      until: '2026-04-01T00:00:00.125Z',
      user: first?.updated_by,
      created_at: first?.updated_at,
    },
  ]);
  expect(await version()).toBe(1);
  expect(await db.query(sql`select kind from jobs`)).toEqual([{ kind: 'merge_train' }]);

  await control('paused', 'the release', until, 5);
  expect(await shown()).toEqual(first);
  expect(await version()).toBe(1);

  await control('running', undefined, undefined, 5);
  expect(await shown()).toMatchObject({
    state: 'running',
    reason: null,
    until: null,
    updated_by: { username: 'ghost' },
  });
  expect((await shown())?.changes.map(({ state }) => state)).toEqual(['running', 'paused']);
});

test('the newest 20 changes are shown, in as many statements as one', async () => {
  await control('paused');
  const few = await countStatements(() => shown());
  for (let index = 0; index < 24; index += 1) await control('paused', `reason ${index}`);
  const many = await countStatements(() => shown());
  expect(many.result?.changes.map(({ reason }) => reason)).toEqual(
    Array.from({ length: 20 }, (_, index) => `reason ${23 - index}`),
  );
  expect([few.statements, many.statements]).toEqual([2, 2]);
});

test('a train that stopped itself says so and shows its probe; a maintainer who decides takes it over', async () => {
  const [pipeline] = await db.query<{ id: number }>(sql`
    insert into pipelines (iid, project_id, sha, ref, tag, source, status, user_id, created_at, updated_at)
    values (9, 1, ${sha}, 'refs/heads/main', false, 'api', 'pending', 3, '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z')
    returning id`);
  await db.query(sql`
    update merge_trains set control_state = 'paused', target_failing = true, probe_pipeline_id = ${pipeline?.id},
      control_changed_at = '2026-01-02T00:00:00Z' where id = ${trainId}`);
  expect(await shown()).toMatchObject({
    state: 'paused',
    reason: 'target_failing',
    updated_at: '2026-01-02T00:00:00.000Z',
    updated_by: null,
    probe: { id: pipeline?.id, project_id: 1, web_url: `https://forge.example/group/p1/-/pipelines/${pipeline?.id}` },
  });
  await control('paused');
  expect(await shown()).toMatchObject({ state: 'paused', reason: null, updated_by: { id: ada } });
});

test('changes at the same time are all kept, one after the other', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, index) => control('paused', `reason ${index}`)));
  const after = await shown();
  expect(after?.changes).toHaveLength(8);
  expect(after?.reason).toBe(after?.changes[0]?.reason);
  expect(await version()).toBe(8);
});
