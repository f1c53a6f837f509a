import { countStatements, type Database, openDatabase, type PageRequest, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import type { MergeTrainFilter } from '../../src/merge-trains/domain/merge-train-entry';
import { presentLandingReceipt } from '../../src/merge-trains/presenters/landing-receipt.presenter';
import { presentMergeTrainEntry } from '../../src/merge-trains/presenters/merge-train.presenter';
import { landingReceiptOf } from '../../src/merge-trains/storage/landing-receipt.list';
import { listMergeTrainEntries, newestMergeTrainEntry } from '../../src/merge-trains/storage/merge-train.list';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;

const externalUrl = 'https://forge.example';
const sha = 'a'.repeat(40);
/** Landed entries of the project with a history. */
const history = 30_000;

/** Entries of project 1, by the iid of their merge request. */
const entries = [
  { branch: 'main', status: 'merged' },
  { branch: 'main', status: 'skip_merged' },
  { branch: 'main', status: 'merging' },
  { branch: 'main', status: 'fresh' },
  { branch: 'release/1.0', status: 'fresh' },
  { branch: 'main', status: 'stale' },
  { branch: 'main', status: 'idle' },
] as const;

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
  for (const id of [1, 2]) {
    await db.query(sql`
      insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
        merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
        only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
        repository_access_level, initialize_with_readme)
      values (${id}, 1, 'P', ${`p${id}`}, 'private', 'main', false, false, 1, 'merge', 'default_off', false, false, false, false, true,
        true, 'enabled', false)`);
    for (const branch of ['main', 'release/1.0']) {
      await db.query(sql`insert into merge_trains (project_id, target_branch) values (${id}, ${branch})`);
    }
  }
  for (const [index, { branch, status }] of entries.entries()) await insert(index + 1, branch, status);
  await db.query(sql`
    with mrs as (
      insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, state)
      select n, 2, 2, 'b' || n, 'main', 3, 'Change', case when n > ${history} then 'opened' else 'merged' end
      from generate_series(1, ${history + 3}) n returning id, iid)
    insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, status, source_sha, squash,
      remove_source_branch)
    select (select id from merge_trains where project_id = 2 and target_branch = 'main'), 2, 'main', id, 3,
      case when iid > ${history} then 'idle' else 'merged' end, ${sha}, false, false
    from mrs order by iid`);
  await db.query(sql`analyze`);
});
afterAll(async () => {
  await db?.close();
  await database?.close();
});

async function insert(iid: number, branch: string, status: string): Promise<void> {
  const at = new Date(Date.UTC(2026, 0, iid));
  const landed = status === 'merged' || status === 'skip_merged';
  await db.query(sql`
    with mr as (
      insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, description, state,
        created_at, updated_at)
      values (${iid}, 1, 1, ${`b${iid}`}, ${branch}, 3, ${`Change ${iid}`}, 'Words', ${landed ? 'merged' : 'opened'}, ${at}, ${at})
      returning id),
    pl as (
      insert into pipelines (iid, project_id, sha, ref, tag, source, status, user_id, merge_request_id, created_at, updated_at)
      select ${iid}, 1, ${sha}, ${`refs/merge-requests/${iid}/train`}, false, 'merge_request_event', 'pending', 3, id, ${at}, ${at}
      from mr where ${status === 'fresh'} returning id)
    insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, status, source_sha, squash,
      remove_source_branch, pipeline_id, created_at, updated_at, merged_at, duration)
    select (select id from merge_trains where project_id = 1 and target_branch = ${branch}), 1, ${branch}, mr.id,
      ${iid === 1 ? 5 : 3}, ${status}, ${sha}, false, false, (select id from pl), ${at}, ${at}, ${landed ? at : null},
      ${landed ? 90 : null}
    from mr`);
}

const request = (more: Partial<PageRequest> = {}): PageRequest => ({
  mode: 'offset',
  page: 1,
  perPage: 20,
  orderBy: 'id',
  sort: 'asc',
  ...more,
});

const listed = async (filter: MergeTrainFilter, more: Partial<PageRequest> = {}) => {
  const { rows, page } = await listMergeTrainEntries(db, 1, filter, request(more));
  return { iids: rows.map(({ mergeRequest }) => mergeRequest.iid), page };
};

test.each<[string, MergeTrainFilter, number[]]>([
  ['nothing', {}, [1, 2, 3, 4, 5, 6, 7]],
  ['what waits to be merged', { scope: 'active' }, [4, 5, 6, 7]],
  ['what is merged or being merged', { scope: 'complete' }, [1, 2, 3]],
  ['a branch', { targetBranch: 'release/1.0' }, [5]],
  ['a branch and what waits', { targetBranch: 'main', scope: 'active' }, [4, 6, 7]],
  ['a branch and what is merged', { targetBranch: 'main', scope: 'complete' }, [1, 2, 3]],
  ['a branch that does not exist', { targetBranch: 'none' }, []],
])('by %s', async (_, filter, expected) => {
  expect((await listed(filter)).iids).toEqual(expected);
  const newestFirst = await listed(filter, { sort: 'desc' });
  expect(newestFirst.iids).toEqual([...expected].reverse());
  expect(newestFirst.page.total).toBe(expected.length);
});

test.each(['asc', 'desc'] as const)('pages follow one another, %s, by offset and by key', async (sort) => {
  const all = (await listed({}, { sort })).iids;
  const byOffset: number[] = [];
  for (const page of [1, 2, 3, 4]) byOffset.push(...(await listed({}, { sort, perPage: 2, page })).iids);
  expect(byOffset).toEqual(all);
  const byKey: number[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { iids, page } = await listed({}, { mode: 'keyset', sort, perPage: 2, cursor });
    byKey.push(...iids);
    cursor = page.nextCursor;
  }
  expect(byKey).toEqual(all);
});

test('what an entry shows', async () => {
  const { rows } = await listMergeTrainEntries(db, 1, {}, request());
  const [merged, , , fresh] = rows.map((row) => presentMergeTrainEntry(row, externalUrl));
  expect(fresh).toEqual({
    id: rows[3]?.id,
    merge_request: {
      id: rows[3]?.mergeRequest.id,
      iid: 4,
      project_id: 1,
      title: 'Change 4',
      description: 'Words',
      state: 'opened',
      created_at: '2026-01-04T00:00:00.000Z',
      updated_at: '2026-01-04T00:00:00.000Z',
      web_url: 'https://forge.example/group/p1/-/merge_requests/4',
    },
    user: {
      id: 3,
      username: 'ada',
      public_email: '',
      name: 'Ada',
      state: 'active',
      locked: false,
      avatar_url: null,
      web_url: 'https://forge.example/ada',
    },
    pipeline: {
      id: rows[3]?.pipeline?.id,
      iid: 4,
      project_id: 1,
      sha,
      ref: 'refs/merge-requests/4/train',
      status: 'pending',
      source: 'merge_request_event',
      created_at: '2026-01-04T00:00:00.000Z',
      updated_at: '2026-01-04T00:00:00.000Z',
      web_url: `https://forge.example/group/p1/-/pipelines/${rows[3]?.pipeline?.id}`,
    },
    created_at: '2026-01-04T00:00:00.000Z',
    updated_at: '2026-01-04T00:00:00.000Z',
    target_branch: 'main',
    status: 'fresh',
    merged_at: null,
    duration: null,
    position: 2,
    failing: false,
    batch: null,
    expected_at: null,
    waiting_for: { reason: 'build', statuses: [] },
    tested_sha: sha,
    sha: null,
  });
  expect(merged).toMatchObject({
    user: { id: 4, username: 'ghost' },
    pipeline: null,
    status: 'merged',
    merged_at: '2026-01-01T00:00:00.000Z',
    duration: 90,
  });
});

test('the newest entry of a merge request; none, and no such merge request', async () => {
  const [row] = await db.query<{ id: number }>(sql`select id from merge_requests where project_id = 1 and iid = 2`);
  await db.query(sql`
    insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash, remove_source_branch)
    select train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash, remove_source_branch
    from merge_train_cars where merge_request_id = ${row?.id}`);
  expect(await newestMergeTrainEntry(db, { projectId: 1, iid: 2 })).toMatchObject({
    status: 'idle',
    mergeRequest: { iid: 2 },
    project: { id: 1, path: 'p1' },
  });
  await db.query(sql`delete from merge_train_cars where merge_request_id = ${row?.id} and status = 'idle'`);
  await insert(8, 'main', 'idle');
  await db.query(
    sql`delete from merge_train_cars where merge_request_id = (select id from merge_requests where project_id = 1 and iid = 8)`,
  );
  expect(await newestMergeTrainEntry(db, { projectId: 1, iid: 8 })).toBe('none');
  expect(await newestMergeTrainEntry(db, { projectId: 1, iid: 99 })).toBeUndefined();
});

test('the receipt of a landing, before and after it was verified', async () => {
  expect(await landingReceiptOf(db, { projectId: 1, iid: 1 })).toBe('none');
  expect(await landingReceiptOf(db, { projectId: 1, iid: 99 })).toBeUndefined();
  const at = new Date('2026-01-01T01:02:03.004Z');
  const statuses = [
    { id: 1, name: 'build', status: 'success', allow_failure: false, finished_at: '2026-01-01T00:00:00.5+00:00' },
    { id: 2, name: 'lint', status: 'pending', allow_failure: true, finished_at: null },
  ];
  await db.query(sql`
    insert into landing_receipts (project_id, merge_request_id, merge_request_iid, car_id, target_branch, method, squash, head_sha,
      base_sha, tested_sha, tested_tree, pipeline_id, pipeline_status, statuses, required_statuses, landed_sha, landed_tree,
      merge_commit_sha, added_by_id, boarded_at, built_at, tested_at, landed_at)
    select 1, merge_request_id, 1, id, 'main', 'merge', false, ${'1'.repeat(40)}, ${'2'.repeat(40)}, ${sha}, ${'3'.repeat(40)}, 77,
      'success', ${JSON.stringify(statuses)}::jsonb, '{build}', ${sha}, ${'3'.repeat(40)}, ${sha}, 3, ${at}, ${at}, ${at}, ${at}
    from merge_train_cars where merge_request_id = (select id from merge_requests where project_id = 1 and iid = 1)`);
  const shown = async () => {
    const found = await landingReceiptOf(db, { projectId: 1, iid: 1 });
    if (found === undefined || found === 'none') throw new Error('not there');
    return presentLandingReceipt(found, externalUrl);
  };
  expect(await shown()).toEqual({
    merge_request: { id: expect.any(Number), iid: 1 },
    target_branch: 'main',
    method: 'merge',
    imported: false,
    squash: false,
    head_sha: '1'.repeat(40),
    base_sha: '2'.repeat(40),
    tested: { sha, tree: '3'.repeat(40) },
    pipeline: { id: 77, status: 'success' },
    statuses: [{ ...statuses[0], finished_at: '2026-01-01T00:00:00.500Z' }, statuses[1]],
    required_statuses: ['build'],
    landed: { sha, tree: '3'.repeat(40) },
    merge_commit_sha: sha,
    squash_commit_sha: null,
    added_by: expect.objectContaining({ id: 3, username: 'ada' }),
    boarded_at: at.toISOString(),
    built_at: at.toISOString(),
    tested_at: at.toISOString(),
    landed_at: at.toISOString(),
    batch: null,
    reruns: 0,
    verification: null,
  });
  await db.query(sql`
    insert into landing_verifications (receipt_id, differences, verified_at) select id, '{one}', ${at} from landing_receipts`);
  expect((await shown()).verification).toEqual({ verified_at: at.toISOString(), differences: ['one'] });
});

test('a list costs the same number of statements with two rows and with a hundred', async () => {
  const cost = async (perPage: number) => {
    const { result, statements } = await countStatements(() =>
      listMergeTrainEntries(db, 2, {}, request({ perPage, sort: 'desc' })),
    );
    expect(result.rows).toHaveLength(perPage);
    return statements;
  };
  expect([await cost(2), await cost(100)]).toEqual([3, 3]);
});

const scopes: MergeTrainFilter[] = [{ scope: 'active' }, { targetBranch: 'main', scope: 'active' }];
const orders: PageRequest['sort'][] = ['asc', 'desc'];
test.each(scopes.flatMap((filter) => orders.map((sort) => [filter, sort] as const)))(
  'what waits is found without reading the history: %j %s',
  async (filter, sort) => {
    const read = await db.transaction(async (tx) => {
      const before = await rowsRead(tx);
      // Six runs and one more: from the sixth on PostgreSQL may take one plan for all values.
      for (let run = 0; run < 7; run += 1) {
        const { rows, page } = await listMergeTrainEntries(tx, 2, filter, request({ sort }));
        expect([rows.length, page.total]).toEqual([3, 3]);
      }
      return (await rowsRead(tx)) - before;
    });
    expect(read).toBeLessThan(7 * 40);
  },
);

/** Cars that this connection has read and not yet reported to the statistics. */
async function rowsRead(tx: Tx): Promise<number> {
  const found = await tx.one<{ rows: number }>(sql`
    select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'merge_train_cars'`);
  return found?.rows ?? 0;
}
