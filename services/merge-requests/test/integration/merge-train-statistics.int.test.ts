import { countStatements, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { readTrainStatistics } from '../../src/merge-trains/application/train-statistics';
import { bucketOf } from '../../src/merge-trains/domain/duration-buckets';
import { presentTrainStatistics } from '../../src/merge-trains/presenters/train-statistics.presenter';
import { recordHistory, type TrainHappenings } from '../../src/merge-trains/storage/merge-train.history';
import { trainCounterStore } from '../../src/merge-trains/storage/train-counters.store';
import { trainGround } from './train-ground';

const ground = trainGround();
const now = new Date('2026-03-10T12:00:00.000Z');
const sha = 'a'.repeat(40);

const read = (targetBranch: string, after?: string, before?: string, projectId = 1) =>
  readTrainStatistics({ counters: trainCounterStore(ground.db), clock: () => now })(
    { projectId, targetBranch },
    { after, before },
  );

const record = (trainId: number, at: string, happened: Partial<TrainHappenings>): Promise<void> =>
  ground.db.transaction((tx) =>
    recordHistory(
      tx,
      { id: trainId },
      { events: [], opened: [], cars: new Map(), actorId: 0, now: new Date(at), ...happened },
    ),
  );

test('what a train did is what it recorded (7)', async () => {
  const train = await ground.train(new Date('2026-03-09T00:00:00Z'));
  const car = await ground.car(train, new Date('2026-03-09T09:00:00Z'));
  const other = await ground.car(train, new Date('2026-03-10T09:00:00Z'));
  const cars = new Map([car, other].map((one) => [one.id, one]));
  const opened = [1, 2, 3].map((pipelineId) => ({ pipelineId, sha, cars: 1, rerun: false, probe: false }));
  await record(train.id, '2026-03-09T09:00:00Z', { opened });
  await record(train.id, '2026-03-09T10:00:00Z', {
    events: [
      { kind: 'judged', pipelineId: 1, verdict: 'failed', failedNames: ['unit'] },
      { kind: 'judged', pipelineId: 2, verdict: 'green', failedNames: [] },
      { kind: 'flaked', carId: car.id, names: ['unit'] },
      { kind: 'merged', carId: car.id, sha },
    ],
    cars,
  });
  await record(train.id, '2026-03-10T10:00:00Z', {
    events: [{ kind: 'removed', carId: other.id, reason: 'conflict', pipelineId: undefined, blamedOn: undefined }],
    cars,
  });
  const shown = presentTrainStatistics(train.branch, await read(train.branch, '2026-03-09'));
  expect(shown).toEqual({
    target_branch: train.branch,
    after: '2026-03-09',
    before: '2026-03-10',
    landings: 1,
    turnaround: { p50: expect.any(Number), p95: expect.any(Number) },
    removals: [{ reason: 'conflict', count: 1 }],
    builds: 3,
    builds_per_landing: 3,
    paused_share: 0,
    flakes: [{ name: 'unit', count: 1 }],
    failures: [{ name: 'unit', count: 1 }],
    days: [
      {
        date: '2026-03-09',
        landings: 1,
        builds: 3,
        turnaround_p50: shown.turnaround.p50,
        turnaround_p95: shown.turnaround.p95,
        removals: 0,
      },
      { date: '2026-03-10', landings: 0, builds: 0, turnaround_p50: null, turnaround_p95: null, removals: 1 },
    ],
  });
  expect(Math.abs(shown.turnaround.p50! - 3_600) / 3_600).toBeLessThanOrEqual(0.05);
  expect(await read(train.branch, '2026-03-08', '2026-03-08')).toMatchObject({ landings: 0, builds: 0, failures: [] });
});

test('a pause counts while it is under way, across days, and as much when it has ended (7)', async () => {
  const train = await ground.train();
  const change = (at: string, state: 'paused' | 'running') =>
    record(train.id, at, { events: [{ kind: 'state_changed', state, targetFailing: false, names: [] }] });
  const control = (state: string) =>
    ground.rows(
      sql`update merge_trains set control_state = ${state}, control_changed_at = ${now} where id = ${train.id}`,
    );
  const shares = async () =>
    Promise.all(
      [
        ['2026-03-08', '2026-03-08'],
        ['2026-03-09', '2026-03-09'],
        ['2026-03-10', '2026-03-10'],
        ['2026-03-08', '2026-03-10'],
      ].map(async ([after, before]) => (await read(train.branch, after, before)).pausedShare),
    );
  await change('2026-03-08T18:00:00Z', 'paused');
  await control('paused');
  const expected = [6 / 24, 1, 1, 42 / 60].map((share) => expect.closeTo(share, 5));
  expect(await shares()).toEqual(expected);
  await change(now.toISOString(), 'running');
  await control('running');
  expect(await shares()).toEqual(expected);
});

test('no train, and days that are refused', async () => {
  const train = await ground.train();
  await expect(read('none')).rejects.toMatchObject({
    kind: 'not_found',
    body: { message: '404 Merge Train Not Found' },
  });
  await expect(read(train.branch, undefined, undefined, 2)).rejects.toMatchObject({ kind: 'not_found' });
  await expect(read(train.branch, '2024-01-01', '2026-01-01')).rejects.toMatchObject({ kind: 'invalid' });
  await expect(read(train.branch, "2024-01-01'", 'now')).rejects.toMatchObject({ kind: 'invalid' });
});

/** Durations that a day has in these tests, at the most. */
const durations = 30;

/** Counters of `days` days up to now, each with so many landings. */
const fill = (trainId: number, days: number, landings: number) =>
  ground.rows(sql`
    insert into merge_train_measures (train_id, day, measure, name, value)
    select ${trainId}, date '2026-03-10' - d, m.measure, m.name, m.value from generate_series(0, ${days - 1}::int) d cross join (
      select 'landings' as measure, '' as name, ${landings}::bigint as value
      union all select 'builds', '', ${landings * 2}::bigint
      union all select 'turnaround', (60 + n)::text, 1 + ${landings}::bigint / ${durations}::int
        from generate_series(1, ${Math.min(landings, durations)}::int) n
      union all select 'removals', 'reason ' || n, 1 from generate_series(1, 8) n) m`);

/** As many status names a day as there may be. */
const fillNames = (trainId: number, days: number) =>
  ground.rows(sql`
    insert into merge_train_measures (train_id, day, measure, name, value)
    select ${trainId}, date '2026-03-10' - d, measure, 'name ' || n, n from generate_series(0, ${days - 1}::int) d
      cross join generate_series(1, 500) n cross join (values ('failures'), ('flakes')) as given (measure)`);

describe('the cost does not grow with the history (7)', () => {
  let [small, large] = [0, 0];
  let branches: string[] = [];
  beforeAll(async () => {
    const [two, million] = [await ground.train(), await ground.train()];
    [small, large] = [two.id, million.id];
    branches = [two.branch, million.branch];
    await fill(small, 1, 2);
    // A million landings in three years.
    await fill(large, 1_100, 910);
    await fillNames(large, 40);
    await ground.rows(sql`analyze merge_train_measures`);
  });

  test('two statements after 2 and after 1,000,000 landings', async () => {
    const cost = async (branch: string, after: string) => {
      const { result, statements } = await countStatements(() => read(branch, after));
      return { landings: result.landings, statements };
    };
    expect(await cost(branches[0]!, '2026-03-10')).toEqual({ landings: 2, statements: 2 });
    expect(await cost(branches[1]!, '2026-03-10')).toEqual({ landings: 910, statements: 2 });
    expect(await cost(branches[1]!, '2025-03-10')).toEqual({ landings: 366 * 910, statements: 2 });
    const [sum] = await ground.rows(
      sql`select sum(value)::bigint as value from merge_train_measures where train_id = ${large} and measure = 'landings'`,
    );
    expect(sum?.value).toBe(1_001_000);
  });

  test('only the rows of the range are read', async () => {
    const rowsOf = async (after: string) => {
      const rows = await ground.db.transaction(async (tx) => {
        const before = await rowsRead(tx);
        for (let run = 0; run < 7; run += 1) {
          await trainCounterStore(tx as never).measured(
            { projectId: 1, targetBranch: branches[1]! },
            { after, before: '2026-03-10' },
          );
        }
        return (await rowsRead(tx)) - before;
      });
      return rows / 7;
    };
    const perDay = 2 + durations + 8 + 2 * 500;
    expect(await rowsOf('2026-03-10')).toBeLessThanOrEqual(perDay * 1.1);
    expect(await rowsOf('2026-02-11')).toBeLessThanOrEqual(28 * perDay * 1.1);
  });

  test('a reply is bounded: the most frequent 100 names, the rest counted together', async () => {
    const statistics = await read(branches[1]!, '2025-03-10');
    for (const named of [statistics.failures, statistics.flakes]) {
      expect(named).toHaveLength(101);
      expect(named[0]).toEqual({ name: '', count: (40 * (400 * 401)) / 2 });
      expect(named[1]).toEqual({ name: 'name 500', count: 40 * 500 });
    }
    expect(statistics.days).toHaveLength(366);
    expect(JSON.stringify(presentTrainStatistics('main', statistics)).length).toBeLessThan(80_000);
    expect([bucketOf(statistics.turnaround.p50!), bucketOf(statistics.turnaround.p95!)]).toEqual([75, 89]);
  });
});

/** Counters that this connection has read and not yet reported to the statistics. */
async function rowsRead(tx: Tx): Promise<number> {
  const found = await tx.one<{ rows: number }>(sql`
    select (seq_tup_read + idx_tup_fetch)::bigint as rows from pg_stat_xact_user_tables where relname = 'merge_train_measures'`);
  return found?.rows ?? 0;
}
