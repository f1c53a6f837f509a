import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { sql } from '@switchyard/database/sql';
import type { Sha } from '../../src/git';
import type { LandingMethod } from '../../src/merge-trains/domain/landing-receipt';
import { handmadeLandings, lines, projectId, type Row, report } from './handmade-landings';

const made = handmadeLandings();
const { history, tree, land, said } = made;

const methods: LandingMethod[] = ['merge', 'ff', 'rebase_merge'];
const everyWay = methods.flatMap((method) => [false, true].map((squash) => [method, squash] as const));
const objects = () => made.shop.bare('count-objects', '-v');

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
    const base = made.shop.commit('Start', { 'shared.txt': lines('first', 'last') });
    made.shop.git('checkout', '-q', '-b', 'feature');
    made.shop.commit('One', { 'one.txt': 'one' });
    const head = made.shop.commit('Two', { 'two.txt': 'two' });
    expect(await said(land(method, squash, { fork: base, head, base }))).toEqual([]);
  });

  test('a squash that stayed on the merge base is recorded, and its replay landed', async () => {
    const row = land('ff', true);
    const squashed = made.shop.git(
      'commit-tree',
      tree(row.head),
      '-p',
      made.shop.git('merge-base', row.base, row.head),
      '-m',
      'Squashed',
    ) as Sha;
    made.shop.git('push', '-q', 'origin', `${squashed}:refs/heads/kept`);
    expect(await said({ ...row, squashed })).toEqual([]);
  });

  test('commits that the base holds already, and merges, are left out of a replay', async () => {
    const { fork, head, base } = history();
    made.shop.git('checkout', '-q', '-B', 'feature', head);
    made.shop.git('merge', '-q', '--no-ff', '-m', 'Main into feature', base);
    const merged = made.shop.commit('Three', { 'three.txt': 'three' });
    made.shop.git('checkout', '-q', '--detach', base);
    made.shop.git('cherry-pick', `${fork}..${head}~1`);
    const onto = made.shop.head();
    made.shop.git('cherry-pick', head);
    made.shop.git('cherry-pick', merged);
    made.shop.git('checkout', '-q', '-B', 'main');
    made.shop.publish();
    const landed = made.shop.head();
    const row = { ...land('ff', false, { fork, head, base }), head: merged, base: onto, landed, tested: landed };
    made.shop.git('checkout', '-q', '-B', 'main', landed);
    made.shop.git('push', '-q', '--force', 'origin', 'main');
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
    made.shop.write({ 'smuggled.txt': 'in' });
    made.shop.git('add', '--all');
    made.shop.git('commit', '-q', '--amend', '--no-edit');
    const landed = made.shop.head();
    made.shop.git('push', '-q', '--force', 'origin', 'main');
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
    made.shop.git('commit', '-q', '--amend', '-m', 'Nothing to see');
    made.shop.git('push', '-q', '--force', 'origin', 'main');
    expect(await said(row)).toEqual(['no longer in the target branch']);
  });

  test('an amended commit in the receipt', async () => {
    const row = land('merge', false);
    made.shop.git('commit', '-q', '--amend', '-m', 'Nothing to see');
    made.shop.git('push', '-q', '--force', 'origin', 'main');
    const landed = made.shop.head();
    expect(await said({ ...row, landed, merge: landed })).toEqual(['another commit was tested than landed']);
  });

  test('an amended commit of a replay', async () => {
    const row = land('ff', false);
    made.shop.git('commit', '-q', '--amend', '-m', 'Nothing to see');
    made.shop.git('push', '-q', '--force', 'origin', 'main');
    const landed = made.shop.head();
    expect(await said({ ...row, landed, tested: landed })).toEqual([
      expect.stringMatching(/^commit \w+ of the source did not land$/),
    ]);
  });

  test('a commit more, and a commit less, than the source has', async () => {
    const row = land('ff', false);
    const landed = made.shop.commit('Smuggled', { 'smuggled.txt': 'in' });
    made.shop.git('push', '-q', 'origin', 'main');
    const more = { landed, tested: landed, landedTree: tree(landed), testedTree: tree(landed) };
    expect(await said({ ...row, ...more })).toEqual([expect.stringMatching(/^commit \w+ is none of the source's$/)]);
    await made.db.query(sql`truncate landing_receipts cascade`);
    const less = { landed: `${row.landed}~1`, tested: '', landedTree: '', testedTree: '' };
    less.landed = made.shop.git('rev-parse', `${row.landed}~1`);
    less.tested = less.landed;
    less.landedTree = less.testedTree = tree(less.landed);
    expect(await said({ ...row, ...less })).toEqual([expect.stringMatching(/^commit \w+ of the source did not land$/)]);
  });

  test('a merge the other way round, and one of another source', async () => {
    const { head, base, ...rest } = land('merge', false);
    expect(await said({ ...rest, head: base, base: head })).toEqual([
      expect.stringMatching(/first parent .* not the base/),
    ]);
    await made.db.query(sql`truncate landing_receipts cascade`);
    const other = made.shop.git('rev-parse', `${head}~1`);
    expect(await said({ ...rest, base, head: other })).toEqual([expect.stringMatching(/second parent .* not/)]);
  });

  test('a squash that is not one', async () => {
    const row = land('merge', false);
    expect(await said({ ...row, squash: true })).toEqual(['several commits landed, and a squash was asked for']);
    await made.db.query(sql`truncate landing_receipts cascade`);
    expect(await said({ ...row, squashed: row.head })).toEqual(['a squash landed, and none was asked for']);
    await made.db.query(sql`truncate landing_receipts cascade`);
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
    await made.db.query(sql`truncate landing_receipts cascade`);
    expect(await said({ ...row, tested: row.head, testedTree: other })).toEqual([
      'another commit was tested than landed',
      'another tree was tested than landed',
    ]);
  });

  test('another method than the recorded one', async () => {
    expect(await said({ ...land('merge', false), method: 'ff' })).toEqual([
      'a merge commit is recorded, and the method makes none',
    ]);
    await made.db.query(sql`truncate landing_receipts cascade`);
    await made.anew();
    const row = land('ff', false);
    expect(await said({ ...row, method: 'merge', merge: row.landed })).toEqual([
      'the landed commit has 1 parents, and a merge commit 2',
    ]);
  });

  const remove = (sha: string) => rmSync(join(made.bare.path, 'objects', sha.slice(0, 2), sha.slice(2)));

  test.each([
    ['the landed commit', (row: Row) => row.landed, /^the landed commit \w+ is not in the repository$/],
    ['the head', (row: Row) => row.head, /^the head \w+ is not in the repository$/],
    [
      'a file',
      () => made.shop.git('rev-parse', 'HEAD:feature/one.txt'),
      /^object \w+ of the landed commit is missing$/,
    ],
    ['a folder', () => made.shop.git('rev-parse', 'HEAD:feature'), /^git diff-tree ended with/],
  ] as const)('a missing object: %s', async (_, which, words) => {
    const row = land('merge', false);
    remove(which(row));
    expect(await said(row)).toEqual([expect.stringMatching(words)]);
  });

  test('a commit stored under the name of another', async () => {
    const row = land('merge', false);
    const content = made.shop
      .gitBuffer('cat-file', 'commit', row.landed)
      .toString()
      .replace('Merge feature', 'Merge nothing');
    const path = join(made.bare.path, 'objects', row.landed.slice(0, 2), row.landed.slice(2));
    rmSync(path);
    writeFileSync(path, deflateSync(`commit ${content.length}\0${content}`));
    expect(await said(row)).toEqual([
      expect.stringMatching(/^the object stored as the landed commit \w+ is another one$/),
    ]);
  });

  test('ids that are none, and a repository that is gone', async () => {
    const row = land('merge', false);
    expect(await said({ ...row, head: 'main' })).toEqual(['the head is no commit id']);
    await made.db.query(sql`truncate landing_receipts cascade`);
    made.bare = { path: `${made.bare.path}-elsewhere` };
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
    const [pipeline] = await made.db.query<{ id: number }>(sql`
      insert into pipelines (iid, project_id, sha, ref, source, status, user_id)
      values (1, ${projectId}, ${row.landed}, 'refs/merge-requests/1/train', 'merge_request_event', 'failed', 1) returning id`);
    const pipelineId = pipeline!.id;
    const statusOf = async (name: string, status: string) => {
      const [stored] = await made.db.query<{ id: number }>(sql`
        insert into commit_statuses (pipeline_id, project_id, sha, ref, name, status, user_id)
        values (${pipelineId}, ${projectId}, ${row.landed}, 'refs/merge-requests/1/train', ${name}, ${status}, 1) returning id`);
      return stored!.id;
    };
    const [good, bad] = [await statusOf('good', 'success'), await statusOf('bad', 'failed')];
    expect(await said({ ...row, pipelineId, statuses: [report('good', 'success', good)] })).toEqual([]);
    await made.db.query(sql`truncate landing_receipts cascade`);
    expect(
      await said({ ...row, pipelineId, statuses: [report('bad', 'success', bad), report('made up', 'success', 99)] }),
    ).toEqual([
      'status bad is recorded as success, and was reported as bad failed',
      `the pipeline has no report 99 of made up`,
    ]);
    await made.db.query(sql`truncate landing_receipts cascade`);
    await made.db.query(sql`update pipelines set sha = ${row.base}`);
    expect(await said({ ...row, pipelineId, statuses: [report('good', 'success', good)] })).toEqual([
      `the pipeline ran on ${row.base.slice(0, 12)}`,
    ]);
  });
});
