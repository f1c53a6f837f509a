import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import type { LandingVerdict } from '../../src/merge-trains/application/verify-landings';
import { verifyLandings } from '../../src/merge-trains/compose-verifier';
import { landingReceiptStore } from '../../src/merge-trains/storage/landing-receipt.store';
import { silentBus } from '../support/stand-ins';
import { handmadeLandings, projectId, type Row } from './handmade-landings';

const made = handmadeLandings();
const { land, write, look } = made;

describe('a landing that its branch no longer holds', () => {
  async function rewritten(): Promise<Row> {
    const row = land('merge', false);
    made.shop.git('push', '-q', '--force', 'origin', `${row.base}:main`);
    return row;
  }
  const moved = (row: Row, before: string, after: string, at = '2024-03-01T13:00:00Z') =>
    made.db.query(sql`
      insert into ref_change_intents (push_id, project_id, ref, old_sha, new_sha, actor_id, source, state, settled_at)
      values (gen_random_uuid(), ${projectId}, ${`refs/heads/${row.targetBranch}`}, ${before}, ${after}, 1, 'push', 'done', ${new Date(at)})`);
  const verdictOf = async (row: Row) => {
    await write(row);
    const [{ differences, findings }] = (await look()) as [LandingVerdict];
    return { differences, findings };
  };
  const absent = 'no longer in the target branch';

  test('differs when no one rewrote the branch through the service', async () => {
    const row = await rewritten();
    await moved(row, row.landed, row.base, '2024-03-01T11:59:00Z');
    await moved(row, row.base, row.landed);
    expect(await verdictOf(row)).toEqual({ differences: [absent], findings: [] });
  });

  test('counts what comes after the landing itself, whatever the clocks say', async () => {
    const row = await rewritten();
    // The database is two minutes behind the service, whose time is 12:00.
    await moved(row, row.base, row.landed, '2024-03-01T11:58:00Z');
    await moved(row, row.landed, row.base, '2024-03-01T11:59:00Z');
    expect(await verdictOf(row)).toEqual({ differences: [], findings: [absent] });
  });

  test('differs when what was rewritten was so before the landing, by a clock that is ahead', async () => {
    const row = await rewritten();
    await moved(row, row.landed, row.base, '2024-03-01T12:01:00Z');
    await moved(row, row.base, row.landed, '2024-03-01T12:02:00Z');
    expect(await verdictOf(row)).toEqual({ differences: [absent], findings: [] });
  });

  test('is only reported when a user did', async () => {
    const row = await rewritten();
    await moved(row, row.landed, row.base);
    expect(await verdictOf(row)).toEqual({ differences: [], findings: [absent] });
  });

  test('is only said when the branch was deleted', async () => {
    const row = await rewritten();
    made.shop.bare('update-ref', '-d', 'refs/heads/main');
    await moved(row, row.landed, '0'.repeat(40));
    expect(await verdictOf(row)).toEqual({ differences: [], findings: [absent] });
  });

  test('is only said of landings older than what is remembered of branches', async () => {
    const row = await rewritten();
    expect(await verdictOf({ ...row, landedAt: new Date('2024-02-20T00:00:00Z') })).toEqual({
      differences: [],
      findings: [absent],
    });
  });
});

describe('which landings are verified', () => {
  test('each once, in batches, until all are asked for; a mended one is found to agree', async () => {
    const row = land('merge', false);
    for (let at = 0; at < 4; at += 1) await write(row);
    const bad = await write({ ...row, pipelineStatus: 'failed' });
    expect(await look('unverified', 2)).toHaveLength(2);
    expect(await look('unverified', 2)).toHaveLength(2);
    expect((await look()).map(({ receipt }) => receipt.id)).toEqual([bad]);
    expect(await look()).toEqual([]);
    const store = landingReceiptStore(made.db);
    expect(await store.countDiffering()).toBe(1);
    await made.db.query(sql`update landing_receipts set pipeline_status = 'success'`);
    expect((await look('differing')).map(({ receipt }) => receipt.id)).toEqual([bad]);
    expect(await store.countDiffering()).toBe(0);
    expect(await look('all')).toHaveLength(5);
  });

  test('not those of a project that was deleted', async () => {
    const row = land('merge', false);
    await write(row);
    await write(row, 43);
    await made.db.query(sql`update directory.projects set deleting = true`);
    expect(await look()).toEqual([]);
    await made.db.query(sql`update directory.projects set deleting = false`);
    expect(await look()).toHaveLength(1);
  });
});

describe('the command', () => {
  let data: string;
  let printed: string[];
  const run = (...args: string[]) => {
    printed = [];
    const given = { db: made.db, bus: () => silentBus, write: (line: string) => void printed.push(line) };
    return verifyLandings.run(given, args, { SWITCHYARD_DATA: data });
  };

  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'switchyard-verify-'));
    symlinkSync(join(made.bare.path, '../..'), join(data, 'repositories'));
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  test('prints a line for each landing that differs, and a summary; what differed is verified again', async () => {
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
    await made.db.query(sql`
      insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, state)
      values (9, ${projectId}, ${projectId}, 'gone', 'main', 1, 'Gone', 'merged')`);
    await made.db.query(sql`
      with train as (insert into merge_trains (project_id, target_branch) values (${projectId}, 'main') returning id)
      insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, status, source_sha, squash,
        remove_source_branch)
      select train.id, ${projectId}, 'main', mr.id, 1, 'merged', 'x', false, false from train, merge_requests mr where mr.iid = 9`);
    expect(await run()).toBe(1);
    expect(printed).toEqual([
      expect.stringMatching(/^differs: project 42, merge request !9: landed \(entry \d+\) without a receipt$/),
      '0 landings verified, 1 differ',
    ]);
    await made.db.query(sql`truncate merge_trains, merge_requests cascade`);
  });

  test('knows its arguments', async () => {
    expect(await run('--every')).toBe(2);
  });
});
