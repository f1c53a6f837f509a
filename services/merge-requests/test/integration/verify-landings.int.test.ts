import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { type Database, openDatabase, sql } from '@switchyard/database';
import { directoryMigrations } from '@switchyard/directory';
import { eventMigrations } from '@switchyard/events';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { type LandingVerdict, type Look, landingVerifier } from '../../src/application/verify-landings';
import { verifyLandings } from '../../src/compose-verifier';
import type { Sha } from '../../src/git';
import { type LandingMethod, landingReceiptStore } from '../../src/storage/landing-receipt.store';
import { Workshop } from '../git/support/workshop';

const projectId = 42;
const clock = () => new Date('2024-03-02T00:00:00Z');

let database: TestDatabase;
let db: Database;
let shop: Workshop;
let bare: Workshop['repo'];

beforeAll(async () => {
  database = await testDatabase({
    sets: [
      { schema: 'public', directory: join(__dirname, '../../prisma/migrations') },
      eventMigrations,
      directoryMigrations,
    ],
  });
  db = openDatabase({ url: database.url, applicationName: 'verifier test' });
  await db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (1, 'group', 'Group', 'group', 'group', 'Group', '{1}', 'private', false)`);
  await db.query(sql`
    insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
      merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
      only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
      repository_access_level, initialize_with_readme)
    values (${projectId}, 1, 'P', 'p', 'private', 'main', false, false, 1, 'merge', 'default_off', false, false,
      false, false, true, true, 'enabled', false)`);
});
afterAll(async () => {
  await db?.close();
  await database?.close();
});
beforeEach(async () => {
  await db.query(
    sql`truncate landing_receipts, landing_verifications, pipelines, commit_statuses, ref_change_intents restart identity cascade`,
  );
  await db.query(sql`update directory.projects set deleting = false`);
  shop = await Workshop.open();
  bare = shop.repo;
});
afterEach(() => shop?.close());

const lines = (first: string, last: string) =>
  `${[first, ...Array.from({ length: 20 }, (_, at) => `line ${at}`), last].join('\n')}\n`;

/** A base that moved on after two commits had left it, both sides changing the same file. */
function history() {
  const fork = shop.commit('Start', { 'shared.txt': lines('first', 'last'), 'kept.txt': 'kept' });
  shop.git('checkout', '-q', '-b', 'feature');
  shop.commit('One', { 'shared.txt': lines('FIRST', 'last'), 'feature/one.txt': 'one' });
  const head = shop.commit('Two\n\nwith a body', { 'feature/two.txt': 'two', 'kept.txt': undefined });
  shop.git('checkout', '-q', 'main');
  const base = shop.commit('Main goes on', { 'shared.txt': lines('first', 'LAST') });
  return { fork, head, base };
}

const tree = (sha: string): Sha => shop.git('rev-parse', `${sha}^{tree}`) as Sha;

interface Row {
  method: LandingMethod;
  squash: boolean;
  head: string;
  base: string;
  landed: string;
  landedTree: string;
  tested: string | null;
  testedTree: string | null;
  merge: string | null;
  squashed: string | null;
  statuses: { id: number; name: string; status: string; allow_failure: boolean; finished_at: string | null }[];
  required: string[];
  pipelineId: number | null;
  pipelineStatus: string | null;
  landedAt: Date;
  targetBranch: string;
}

const report = (name: string, status = 'success', id = 1) => ({
  id,
  name,
  status,
  allow_failure: false,
  finished_at: '2024-03-01T10:00:00.000Z',
});

/** Lands with the git client alone, as the method asks, moves main and says what a receipt would. */
function land(method: LandingMethod, squash: boolean, made = history()): Row {
  const { fork, head, base } = made;
  let tip: Sha = head;
  let squashed: Sha | null = null;
  if (squash) {
    shop.git('checkout', '-q', '--detach', fork);
    shop.git('merge', '--squash', '-q', head);
    shop.git('commit', '-q', '-m', 'Squashed');
    tip = shop.head();
    squashed = tip;
  }
  if (method !== 'merge') {
    shop.git('checkout', '-q', '--detach', tip);
    shop.git('rebase', '-q', '--onto', base, fork);
    tip = shop.head();
    if (squash) squashed = tip;
  }
  let landed = tip;
  if (method !== 'ff') {
    shop.git('checkout', '-q', '--detach', base);
    shop.git('merge', '-q', '--no-ff', '-m', 'Merge feature into main', tip);
    landed = shop.head();
  }
  shop.git('checkout', '-q', '-B', 'main', landed);
  shop.publish();
  return {
    method,
    squash,
    head,
    base,
    landed,
    landedTree: tree(landed),
    tested: landed,
    testedTree: tree(landed),
    merge: method === 'ff' ? null : landed,
    squashed,
    statuses: [report('ci')],
    required: [],
    pipelineId: 7,
    pipelineStatus: 'success',
    landedAt: new Date('2024-03-01T12:00:00Z'),
    targetBranch: 'main',
  };
}

let written = 0;
async function write(row: Row, project = projectId): Promise<number> {
  written += 1;
  const [made] = await db.query<{ id: number }>(sql`
    insert into landing_receipts (project_id, merge_request_id, merge_request_iid, car_id, target_branch, method, squash, head_sha, base_sha,
      tested_sha, tested_tree, pipeline_id, pipeline_status, statuses, required_statuses, landed_sha, landed_tree, merge_commit_sha,
      squash_commit_sha, added_by_id, boarded_at, landed_at)
    values (${project}, ${written}, ${written}, ${written}, ${row.targetBranch}, ${row.method}, ${row.squash}, ${row.head}, ${row.base},
      ${row.tested}, ${row.testedTree}, ${row.pipelineId}, ${row.pipelineStatus}, ${JSON.stringify(row.statuses)}::jsonb, ${row.required}::text[],
      ${row.landed}, ${row.landedTree}, ${row.merge}, ${row.squashed}, 1, ${row.landedAt}, ${row.landedAt})
    returning id`);
  return made!.id;
}

async function look(which: Look = 'unverified', limit?: number): Promise<LandingVerdict[]> {
  const verifier = landingVerifier({ receipts: landingReceiptStore(db), repositoryOf: () => bare, clock });
  const verdicts: LandingVerdict[] = [];
  for await (const verdict of verifier.verify(which, limit)) verdicts.push(verdict);
  return verdicts;
}

/** What is said of one landing. */
async function said(row: Row): Promise<readonly string[]> {
  await write(row);
  const [verdict] = await look();
  return verdict!.differences;
}

const methods: LandingMethod[] = ['merge', 'ff', 'rebase_merge'];
const everyWay = methods.flatMap((method) => [false, true].map((squash) => [method, squash] as const));
const objects = () => shop.bare('count-objects', '-v');

describe('a landing as it should be', () => {
  test.each(everyWay)(
    '%s, squash %s: nothing differs, and nothing is left in the repository',
    async (method, squash) => {
      const row = land(method, squash);
      const before = objects();
      expect(await said(row)).toEqual([]);
      expect(objects()).toBe(before);
    },
  );

  test.each(everyWay)('%s, squash %s, of a source that holds its target', async (method, squash) => {
    const base = shop.commit('Start', { 'shared.txt': lines('first', 'last') });
    shop.git('checkout', '-q', '-b', 'feature');
    shop.commit('One', { 'one.txt': 'one' });
    const head = shop.commit('Two', { 'two.txt': 'two' });
    expect(await said(land(method, squash, { fork: base, head, base }))).toEqual([]);
  });

  test('a squash that stayed on the merge base is recorded, and its replay landed', async () => {
    const row = land('ff', true);
    const squashed = shop.git(
      'commit-tree',
      tree(row.head),
      '-p',
      shop.git('merge-base', row.base, row.head),
      '-m',
      'Squashed',
    ) as Sha;
    shop.git('push', '-q', 'origin', `${squashed}:refs/heads/kept`);
    expect(await said({ ...row, squashed })).toEqual([]);
  });

  test('commits that the base holds already, and merges, are left out of a replay', async () => {
    const { fork, head, base } = history();
    shop.git('checkout', '-q', '-B', 'feature', head);
    shop.git('merge', '-q', '--no-ff', '-m', 'Main into feature', base);
    const merged = shop.commit('Three', { 'three.txt': 'three' });
    shop.git('checkout', '-q', '--detach', base);
    shop.git('cherry-pick', `${fork}..${head}~1`);
    const onto = shop.head();
    shop.git('cherry-pick', head);
    shop.git('cherry-pick', merged);
    shop.git('checkout', '-q', '-B', 'main');
    shop.publish();
    const landed = shop.head();
    const row = { ...land('ff', false, { fork, head, base }), head: merged, base: onto, landed, tested: landed };
    shop.git('checkout', '-q', '-B', 'main', landed);
    shop.git('push', '-q', '--force', 'origin', 'main');
    expect(await said({ ...row, landedTree: tree(landed), testedTree: tree(landed) })).toEqual([]);
  });

  test('one that skipped the train was not tested, and need not have been', async () => {
    const row = land('merge', false);
    const skipped = {
      ...row,
      tested: null,
      testedTree: null,
      statuses: [],
      pipelineId: null,
      pipelineStatus: 'failed',
    };
    expect(await said(skipped)).toEqual([]);
  });

  test('required names decide alone', async () => {
    const row = land('merge', false);
    const statuses = [report('lint', 'failed'), report('unit'), report('slow', 'running')];
    expect(await said({ ...row, statuses, required: ['unit'], pipelineStatus: 'running' })).toEqual([]);
  });
});

describe('what was tampered with is found', () => {
  test.each(everyWay)('another tree than merging gives, %s, squash %s', async (method, squash) => {
    const row = land(method, squash);
    shop.write({ 'smuggled.txt': 'in' });
    shop.git('add', '--all');
    shop.git('commit', '-q', '--amend', '--no-edit');
    const landed = shop.head();
    shop.git('push', '-q', '--force', 'origin', 'main');
    const forged = {
      ...row,
      landed,
      tested: landed,
      landedTree: tree(landed),
      testedTree: tree(landed),
      merge: row.merge && landed,
      squashed: row.squashed === row.landed ? landed : row.squashed,
    };
    expect(await said(forged)).toEqual([
      expect.stringMatching(/anew gives the tree|changes what was replayed|another tree/),
    ]);
  });

  test('an amended commit in the branch', async () => {
    const row = land('merge', false);
    shop.git('commit', '-q', '--amend', '-m', 'Nothing to see');
    shop.git('push', '-q', '--force', 'origin', 'main');
    expect(await said(row)).toEqual(['no longer in the target branch']);
  });

  test('an amended commit in the receipt', async () => {
    const row = land('merge', false);
    shop.git('commit', '-q', '--amend', '-m', 'Nothing to see');
    shop.git('push', '-q', '--force', 'origin', 'main');
    const landed = shop.head();
    expect(await said({ ...row, landed, merge: landed })).toEqual(['another commit was tested than landed']);
  });

  test('an amended commit of a replay', async () => {
    const row = land('ff', false);
    shop.git('commit', '-q', '--amend', '-m', 'Nothing to see');
    shop.git('push', '-q', '--force', 'origin', 'main');
    const landed = shop.head();
    expect(await said({ ...row, landed, tested: landed })).toEqual([
      expect.stringMatching(/^commit \w+ of the source did not land$/),
    ]);
  });

  test('a commit more, and a commit less, than the source has', async () => {
    const row = land('ff', false);
    const landed = shop.commit('Smuggled', { 'smuggled.txt': 'in' });
    shop.git('push', '-q', 'origin', 'main');
    const more = { landed, tested: landed, landedTree: tree(landed), testedTree: tree(landed) };
    expect(await said({ ...row, ...more })).toEqual([expect.stringMatching(/^commit \w+ is none of the source's$/)]);
    await db.query(sql`truncate landing_receipts cascade`);
    const less = { landed: `${row.landed}~1`, tested: '', landedTree: '', testedTree: '' };
    less.landed = shop.git('rev-parse', `${row.landed}~1`);
    less.tested = less.landed;
    less.landedTree = less.testedTree = tree(less.landed);
    expect(await said({ ...row, ...less })).toEqual([expect.stringMatching(/^commit \w+ of the source did not land$/)]);
  });

  test('a merge the other way round, and one of another source', async () => {
    const { head, base, ...rest } = land('merge', false);
    expect(await said({ ...rest, head: base, base: head })).toEqual([
      expect.stringMatching(/first parent .* not the base/),
    ]);
    await db.query(sql`truncate landing_receipts cascade`);
    const other = shop.git('rev-parse', `${head}~1`);
    expect(await said({ ...rest, base, head: other })).toEqual([expect.stringMatching(/second parent .* not/)]);
  });

  test('a squash that is not one', async () => {
    const row = land('merge', false);
    expect(await said({ ...row, squash: true })).toEqual(['several commits landed, and a squash was asked for']);
    await db.query(sql`truncate landing_receipts cascade`);
    expect(await said({ ...row, squashed: row.head })).toEqual(['a squash landed, and none was asked for']);
    await db.query(sql`truncate landing_receipts cascade`);
    expect(await said({ ...row, squash: true, squashed: row.head })).toEqual([
      expect.stringMatching(/squash commit \w+ lies neither on the merge base nor on the base/),
    ]);
  });

  test('a recorded tree, tested commit or tested tree that is not the landed one', async () => {
    const row = land('merge', false);
    const other = tree(row.base);
    expect(await said({ ...row, landedTree: other, testedTree: other })).toEqual([
      expect.stringMatching(/^the landed commit has the tree/),
    ]);
    await db.query(sql`truncate landing_receipts cascade`);
    expect(await said({ ...row, tested: row.head, testedTree: other })).toEqual([
      'another commit was tested than landed',
      'another tree was tested than landed',
    ]);
  });

  test('another method than the recorded one', async () => {
    expect(await said({ ...land('merge', false), method: 'ff' })).toEqual([
      'a merge commit is recorded, and the method makes none',
    ]);
    await db.query(sql`truncate landing_receipts cascade`);
    shop.close();
    shop = await Workshop.open();
    bare = shop.repo;
    const row = land('ff', false);
    expect(await said({ ...row, method: 'merge', merge: row.landed })).toEqual([
      'the landed commit has 1 parents, and a merge commit 2',
    ]);
  });

  const remove = (sha: string) => rmSync(join(bare.path, 'objects', sha.slice(0, 2), sha.slice(2)));

  test.each([
    ['the landed commit', (row: Row) => row.landed, /^the landed commit \w+ is not in the repository$/],
    ['the head', (row: Row) => row.head, /^the head \w+ is not in the repository$/],
    ['a file', () => shop.git('rev-parse', 'HEAD:feature/one.txt'), /^object \w+ of the landed commit is missing$/],
    ['a folder', () => shop.git('rev-parse', 'HEAD:feature'), /^git diff-tree ended with/],
  ] as const)('a missing object: %s', async (_, which, words) => {
    const row = land('merge', false);
    remove(which(row));
    expect(await said(row)).toEqual([expect.stringMatching(words)]);
  });

  test('a commit stored under the name of another', async () => {
    const row = land('merge', false);
    const content = shop
      .gitBuffer('cat-file', 'commit', row.landed)
      .toString()
      .replace('Merge feature', 'Merge nothing');
    const path = join(bare.path, 'objects', row.landed.slice(0, 2), row.landed.slice(2));
    rmSync(path);
    writeFileSync(path, deflateSync(`commit ${content.length}\0${content}`));
    expect(await said(row)).toEqual([
      expect.stringMatching(/^the object stored as the landed commit \w+ is another one$/),
    ]);
  });

  test('ids that are none, and a repository that is gone', async () => {
    const row = land('merge', false);
    expect(await said({ ...row, head: 'main' })).toEqual(['the head is no commit id']);
    await db.query(sql`truncate landing_receipts cascade`);
    bare = { path: `${bare.path}-elsewhere` };
    expect(await said(row)).toEqual(['the repository is missing']);
  });

  test.each([
    [{ statuses: [report('ci', 'failed')] }, ['status ci is failed']],
    [{ statuses: [report('ci'), report('lint', 'pending')] }, ['status lint is pending']],
    [{ required: ['unit'] }, ['status unit is required, and missing']],
    [{ required: ['unit'], statuses: [report('unit', 'canceled')] }, ['status unit is canceled']],
    [{ statuses: [] }, ['no status was reported']],
    [{ pipelineStatus: 'running' }, ['the pipeline is running']],
    [{ pipelineId: null }, ['no pipeline is recorded']],
  ])('a landing that was not green: %j', async (forged, expected) => {
    expect(await said({ ...land('merge', false), ...forged })).toEqual(expected);
  });

  test('a forged status: the report itself says otherwise', async () => {
    const row = land('merge', false);
    const [pipeline] = await db.query<{ id: number }>(sql`
      insert into pipelines (iid, project_id, sha, ref, source, status, user_id)
      values (1, ${projectId}, ${row.landed}, 'refs/merge-requests/1/train', 'merge_request_event', 'failed', 1) returning id`);
    const pipelineId = pipeline!.id;
    const statusOf = async (name: string, status: string) => {
      const [made] = await db.query<{ id: number }>(sql`
        insert into commit_statuses (pipeline_id, project_id, sha, ref, name, status, user_id)
        values (${pipelineId}, ${projectId}, ${row.landed}, 'refs/merge-requests/1/train', ${name}, ${status}, 1) returning id`);
      return made!.id;
    };
    const [good, bad] = [await statusOf('good', 'success'), await statusOf('bad', 'failed')];
    expect(await said({ ...row, pipelineId, statuses: [report('good', 'success', good)] })).toEqual([]);
    await db.query(sql`truncate landing_receipts cascade`);
    expect(
      await said({ ...row, pipelineId, statuses: [report('bad', 'success', bad), report('made up', 'success', 99)] }),
    ).toEqual([
      'status bad is recorded as success, and was reported as bad failed',
      `the pipeline has no report 99 of made up`,
    ]);
    await db.query(sql`truncate landing_receipts cascade`);
    await db.query(sql`update pipelines set sha = ${row.base}`);
    expect(await said({ ...row, pipelineId, statuses: [report('good', 'success', good)] })).toEqual([
      `the pipeline ran on ${row.base.slice(0, 12)}`,
    ]);
  });
});

describe('a landing that its branch no longer holds', () => {
  async function rewritten(): Promise<Row> {
    const row = land('merge', false);
    shop.git('push', '-q', '--force', 'origin', `${row.base}:main`);
    return row;
  }
  const moved = (row: Row, before: string, after: string, at = '2024-03-01T13:00:00Z') =>
    db.query(sql`
      insert into ref_change_intents (push_id, project_id, ref, old_sha, new_sha, actor_id, source, state, settled_at)
      values (gen_random_uuid(), ${projectId}, ${`refs/heads/${row.targetBranch}`}, ${before}, ${after}, 1, 'push', 'done', ${new Date(at)})`);
  const verdictOf = async (row: Row) => {
    await write(row);
    const [{ differences, remarks }] = (await look()) as [LandingVerdict];
    return { differences, remarks };
  };
  const absent = 'no longer in the target branch';

  test('differs when nobody rewrote the branch through the service', async () => {
    const row = await rewritten();
    await moved(row, row.base, row.landed);
    await moved(row, row.landed, row.base, '2024-03-01T11:00:00Z');
    expect(await verdictOf(row)).toEqual({ differences: [absent], remarks: [] });
  });

  test('is only said when somebody did', async () => {
    const row = await rewritten();
    await moved(row, row.landed, row.base);
    expect(await verdictOf(row)).toEqual({ differences: [], remarks: [absent] });
  });

  test('is only said when the branch was deleted', async () => {
    const row = await rewritten();
    shop.bare('update-ref', '-d', 'refs/heads/main');
    await moved(row, row.landed, '0'.repeat(40));
    expect(await verdictOf(row)).toEqual({ differences: [], remarks: [absent] });
  });

  test('is only said of landings older than what is remembered of branches', async () => {
    const row = await rewritten();
    expect(await verdictOf({ ...row, landedAt: new Date('2024-02-20T00:00:00Z') })).toEqual({
      differences: [],
      remarks: [absent],
    });
  });
});

describe('which landings are looked at', () => {
  test('each once, in batches, until all are asked for; a mended one is found to agree', async () => {
    const row = land('merge', false);
    for (let at = 0; at < 4; at += 1) await write(row);
    const bad = await write({ ...row, pipelineStatus: 'failed' });
    expect(await look('unverified', 2)).toHaveLength(2);
    expect(await look('unverified', 2)).toHaveLength(2);
    expect((await look()).map(({ receipt }) => receipt.id)).toEqual([bad]);
    expect(await look()).toEqual([]);
    const store = landingReceiptStore(db);
    expect(await store.countDiffering()).toBe(1);
    await db.query(sql`update landing_receipts set pipeline_status = 'success'`);
    expect((await look('differing')).map(({ receipt }) => receipt.id)).toEqual([bad]);
    expect(await store.countDiffering()).toBe(0);
    expect(await look('all')).toHaveLength(5);
  });

  test('not those of a project that was deleted', async () => {
    const row = land('merge', false);
    await write(row);
    await write(row, 43);
    await db.query(sql`update directory.projects set deleting = true`);
    expect(await look()).toEqual([]);
    await db.query(sql`update directory.projects set deleting = false`);
    expect(await look()).toHaveLength(1);
  });
});

describe('the command', () => {
  let data: string;
  let printed: string[];
  const run = (...args: string[]) => {
    printed = [];
    return verifyLandings(args, (line) => printed.push(line), { DATABASE_URL: database.url, SWITCHYARD_DATA: data });
  };

  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'switchyard-verify-'));
    symlinkSync(join(bare.path, '../..'), join(data, 'repositories'));
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  test('prints a line for each landing that differs, and a summary; what differed is looked at again', async () => {
    const row = land('merge', false);
    await write(row);
    expect(await run()).toBe(0);
    expect(printed).toEqual(['1 landings verified, 0 differ']);
    const bad = await write({ ...row, pipelineStatus: 'failed' });
    expect(await run()).toBe(1);
    expect(printed).toEqual([
      expect.stringMatching(
        `^differs: project 42, merge request !\\d+, landed as ${row.landed.slice(0, 12)} at 2024-03-01T12:00:00.000Z \\(receipt ${bad}\\): the pipeline is failed$`,
      ),
      '1 landings verified, 1 differ',
    ]);
    expect(await run()).toBe(1);
    expect(await run('--all')).toBe(1);
    expect(printed.at(-1)).toBe('2 landings verified, 1 differ');
  });

  test('finds a landing that left no receipt', async () => {
    await db.query(sql`
      insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, state)
      values (9, ${projectId}, ${projectId}, 'gone', 'main', 1, 'Gone', 'merged')`);
    await db.query(sql`
      with train as (insert into merge_trains (project_id, target_branch) values (${projectId}, 'main') returning id)
      insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, status, source_sha, squash,
        remove_source_branch)
      select train.id, ${projectId}, 'main', mr.id, 1, 'merged', 'x', false, false from train, merge_requests mr where mr.iid = 9`);
    expect(await run()).toBe(1);
    expect(printed).toEqual([
      expect.stringMatching(/^differs: project 42, merge request !9: landed \(entry \d+\) without a receipt$/),
      '0 landings verified, 1 differ',
    ]);
    await db.query(sql`truncate merge_trains, merge_requests cascade`);
  });

  test('knows its arguments, and says which variable is missing', async () => {
    expect(await run('--every')).toBe(2);
    await expect(verifyLandings([], () => undefined, {})).rejects.toThrow('DATABASE_URL: is missing');
  });
});
