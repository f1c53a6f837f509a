import { countStatements, type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { composeMergeTrainFeed } from '../../src/merge-trains/compose-feed';
import { presentMergeTrainView } from '../../src/merge-trains/presenters/merge-train-view.presenter';
import { readMergeTrainView, readTrainMarks } from '../../src/merge-trains/storage/merge-train.view';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;
let trainId: number;

const externalUrl = 'https://forge.example';
const shaOf = (n: number): string => n.toString(16).padStart(40, '0');
const key = { projectId: 1, targetBranch: 'main' };

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'test' });
  await db.query(sql`
    insert into directory.users (id, username, name, state, admin, external, bot) values (3, 'ada', 'Ada', 'active', false, false, false)`);
  await db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (1, 'group', 'Group', 'group', 'group', 'Group', '{1}', 'private', false)`);
  await db.query(sql`
    insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
      merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
      only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
      repository_access_level, initialize_with_readme, merge_train_parallel_cars)
    values (1, 1, 'P', 'p', 'private', 'main', false, false, 1, 'merge', 'default_off', false, false, false, false, true,
      true, 'enabled', false, 2)`);
  trainId = (
    await db.query<{ id: number }>(
      sql`insert into merge_trains (project_id, target_branch) values (1, 'main') returning id`,
    )
  )[0]!.id;
});
afterAll(async () => {
  await db?.close();
  await database?.close();
});
beforeEach(async () => {
  await db.query(sql`delete from merge_train_departures`);
  await db.query(sql`delete from merge_requests`);
  await db.query(sql`delete from pipelines`);
  await db.query(sql`
    update merge_trains set control_state = 'running', control_reason = null, control_user_id = null, target_failing = false,
      control_until = null, control_changed_at = null`);
});

interface Given {
  readonly rank?: number;
  readonly status?: string;
  readonly verdict?: string;
  readonly built?: boolean;
  readonly held?: boolean;
  readonly batch?: number;
  readonly statuses?: Readonly<Record<string, string>>;
}

/** A car; its merge request and its commit have its number. Returns its id. */
async function insert(iid: number, given: Given = {}): Promise<number> {
  const { rank = 0, status = 'fresh', verdict = 'pending', built = true, held = false, batch, statuses = {} } = given;
  const [car] = await db.query<{ id: number; pipeline: number | null }>(sql`
    with mr as (
      insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, description, state)
      values (${iid}, 1, 1, ${`b${iid}`}, 'main', 3, ${`Change ${iid}`}, ${'long '.repeat(1_000)}, 'opened') returning id),
    pl as (
      insert into pipelines (iid, project_id, sha, ref, tag, source, status, user_id, merge_request_id)
      select ${iid}, 1, ${shaOf(iid)}, ${`refs/merge-requests/${iid}/train`}, false, 'merge_request_event', 'pending', 3, id
      from mr where ${built} returning id)
    insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, status, source_sha, squash,
      remove_source_branch, rank, verdict, sha, held_onto, batch_id, pipeline_id)
    select ${trainId}, 1, 'main', mr.id, 3, ${status}, ${shaOf(iid)}, false, false, ${rank}, ${verdict},
      ${built ? shaOf(iid) : null}, ${held ? shaOf(1) : null}, ${batch ?? null}, (select id from pl)
    from mr returning id, pipeline_id as pipeline`);
  for (const [name, state] of Object.entries(statuses))
    await db.query(sql`
      insert into commit_statuses (pipeline_id, project_id, sha, ref, name, status, user_id)
      values (${car!.pipeline}, 1, ${shaOf(iid)}, 'r', ${name}, ${state}, 3)`);
  return car!.id;
}

// biome-ignore lint/suspicious/noExplicitAny: looked into freely
async function view(): Promise<any> {
  const read = await readMergeTrainView(db, key);
  return JSON.parse(JSON.stringify(presentMergeTrainView(read!, externalUrl)));
}

it('shows the cars in the order of the queue, with what each waits for (G-4.1-1)', async () => {
  await insert(11, { statuses: { lint: 'success', test: 'running' } });
  await insert(12, { verdict: 'failed', statuses: { test: 'failed' } });
  await insert(13, { built: false, status: 'idle', held: true });
  await insert(14, { built: false, status: 'idle' });
  await insert(10, { rank: -1, verdict: 'green', statuses: { test: 'success' } });
  await insert(9, { rank: -2, status: 'merging', verdict: 'green' });
  await insert(8, { rank: -3, status: 'merged' });
  const { entries, total } = await view();
  expect(total).toBe(6);
  const rows = entries.map((one: Record<string, unknown>) => [
    (one.merge_request as { iid: number }).iid,
    one.position,
    one.failing,
    one.waiting_for,
  ]);
  expect(rows).toEqual([
    [9, 1, false, null],
    [10, 2, false, { reason: 'cars_ahead', statuses: [] }],
    [11, 3, false, { reason: 'statuses', statuses: ['test'] }],
    [12, 4, true, { reason: 'cars_ahead', statuses: [] }],
    [13, 5, true, { reason: 'cars_ahead', statuses: [] }],
    [14, 6, false, { reason: 'build', statuses: [] }],
  ]);
  expect(entries[2]).toMatchObject({ sha: shaOf(11), tested_sha: shaOf(11), batch: null, expected_at: null });
  expect(entries[2].merge_request).toMatchObject({ title: 'Change 11', description: null });
  expect(entries[2].user).toMatchObject({ username: 'ada' });
});

it('a head that failed waits for its rerun; green names settle; required names are missed by name', async () => {
  await insert(1, { verdict: 'failed' });
  await insert(2, { statuses: { test: 'success' } });
  await insert(3);
  let { entries } = await view();
  expect(entries.map((one: { waiting_for: unknown }) => one.waiting_for)).toEqual([
    { reason: 'rerun', statuses: [] },
    { reason: 'settling', statuses: [] },
    { reason: 'statuses', statuses: [] },
  ]);
  await db.query(sql`update directory.projects set merge_train_required_statuses = '{test,e2e}'`);
  ({ entries } = await view());
  expect(entries[1].waiting_for).toEqual({ reason: 'statuses', statuses: ['e2e'] });
  await db.query(sql`update directory.projects set merge_train_required_statuses = '{}'`);
});

it('cars that are tested together name each other; a paused train holds all of them', async () => {
  const first = await insert(1);
  await db.query(sql`update merge_train_cars set batch_id = id`);
  await insert(2, { batch: first });
  await insert(3);
  await db.query(sql`
    update merge_trains set control_state = 'paused', control_reason = 'Release', control_user_id = 3,
      control_until = '2027-01-01', control_changed_at = '2026-12-01'`);
  const { entries, control } = await view();
  const batch = { id: first, size: 2, merge_request_iids: [1, 2] };
  expect(entries.map((one: { batch: unknown }) => one.batch)).toEqual([batch, batch, null]);
  expect(new Set(entries.map((one: { waiting_for: { reason: string } }) => one.waiting_for.reason))).toEqual(
    new Set(['train']),
  );
  expect(control).toMatchObject({
    target_branch: 'main',
    state: 'paused',
    reason: 'Release',
    until: '2027-01-01T00:00:00.000Z',
    updated_by: { username: 'ada' },
    probe: null,
  });
});

it('a train that stopped itself names its reason and its probe', async () => {
  await insert(1);
  await db.query(sql`
    update merge_trains set control_state = 'paused', target_failing = true, probe_pipeline_id = (select max(id) from pipelines)`);
  const { control } = await view();
  expect(control).toMatchObject({ state: 'paused', reason: 'target_failing', updated_by: null });
  expect(control.probe).toMatchObject({ sha: shaOf(1), web_url: expect.stringContaining('/group/p/-/pipelines/') });
});

it('the mark of a train is another one when its probe has changed', async () => {
  // Its pipeline is that of no car in the train.
  await insert(1, { status: 'merged' });
  await db.query(sql`update merge_trains set probe_pipeline_id = (select max(id) from pipelines)`);
  const mark = async () => (await readTrainMarks(db, [key]))[0]?.mark;
  const before = await mark();
  expect(await mark()).toBe(before);
  await db.query(sql`update pipelines set status = 'success', updated_at = now() + interval '1 second'`);
  expect(await mark()).not.toBe(before);
});

it('shows who left last, and on what it failed', async () => {
  await insert(1);
  for (let n = 1; n <= 25; n += 1) {
    const evidence = { testedSha: shaOf(n), baseSha: shaOf(0), pipelineId: n, statuses: [{ name: 'test' }], reruns: 1 };
    await db.query(sql`
      insert into merge_train_departures (train_id, car_id, merge_request_id, merge_request_iid, title, reason, sha, evidence, at)
      values (${trainId}, ${n}, ${n}, ${n}, ${`Change ${n}`}, ${n === 25 ? 'merged' : 'pipeline_failed'}, ${shaOf(n)},
        ${n === 25 ? null : JSON.stringify(evidence)}::jsonb, now())`);
  }
  const { departures } = await view();
  expect(departures).toHaveLength(20);
  expect(departures[0]).toMatchObject({ merge_request_iid: 25, reason: 'merged', evidence: null, sha: shaOf(25) });
  expect(departures[1].evidence).toEqual({
    tested_sha: shaOf(24),
    base_sha: shaOf(0),
    pipeline: { id: 24 },
    statuses: [{ name: 'test', target_url: null }],
    reruns: 1,
  });
});

it('takes four statements however long the train is, and holds 200 cars (D4)', async () => {
  const cost = async () => (await countStatements(view)).statements;
  await insert(1);
  const one = await cost();
  for (let n = 2; n <= 205; n += 1) await insert(n, { statuses: { test: 'pending' } });
  expect([one, await cost()]).toEqual([4, 4]);
  const { entries, total } = await view();
  expect([entries.length, total]).toEqual([200, 205]);
});

it('a watcher sees a train from its making, each notified change, and those whose notice was lost', async () => {
  const feed = composeMergeTrainFeed(db, externalUrl);
  const sweeping = feed.start();
  const leaving = new AbortController();
  // biome-ignore lint/suspicious/noExplicitAny: looked into freely
  const got: any[] = [];
  const watching = (async () => {
    for await (const one of feed.watch({ ...key, targetBranch: 'next' }, leaving.signal))
      got.push(JSON.parse(String(one)));
  })();
  await eventually(() => expect(got).toHaveLength(1));
  expect(got[0]).toMatchObject({
    target_branch: 'next',
    total: 0,
    entries: [],
    departures: [],
    control: { state: 'running' },
  });
  const [made] = await db.query<{ id: number }>(
    sql`insert into merge_trains (project_id, target_branch, control_state) values (1, 'next', 'draining') returning id`,
  );
  // Of a train whose id is not known yet.
  db.notices.notify('switchyard_merge_trains', String(made!.id));
  await eventually(() => expect(got.at(-1)).toMatchObject({ control: { state: 'draining' } }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await db.query(sql`update merge_trains set control_state = 'paused' where id = ${made!.id}`);
  const since = Date.now();
  db.notices.notify('switchyard_merge_trains', String(made!.id));
  await eventually(() => expect(got.at(-1)).toMatchObject({ control: { state: 'paused' } }), { within: 900 });
  expect(Date.now() - since).toBeLessThan(1_000);
  await db.query(sql`update merge_trains set control_state = 'running', version = version + 1 where id = ${made!.id}`);
  await eventually(() => expect(got.at(-1)).toMatchObject({ control: { state: 'running' } }), { within: 8_000 });
  expect(got).toHaveLength(4);
  leaving.abort();
  await watching;
  await sweeping.close();
  expect(feed.watched()).toBe(0);
});

it('a project that is not there is not found', async () => {
  const feed = composeMergeTrainFeed(db, externalUrl);
  const first = feed
    .watch({ projectId: 9, targetBranch: 'main' }, new AbortController().signal)
    [Symbol.asyncIterator]();
  await expect(first.next()).rejects.toMatchObject({ kind: 'not_found' });
});
