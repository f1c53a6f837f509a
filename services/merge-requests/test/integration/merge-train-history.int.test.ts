import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { TrainEvent } from '../../src/merge-trains/domain/merge-train';
import {
  type DepartingCar,
  recordHistory,
  type TrainHappenings,
} from '../../src/merge-trains/storage/merge-train.history';
import { trainRetentionStore } from '../../src/merge-trains/storage/train-retention.store';
import { trainGround } from './train-ground';

const ground = trainGround();
const now = new Date('2026-03-01T10:00:00.000Z');
const sha = 'a'.repeat(40);
let pipelines = 0;

const record = (trainId: number, happened: Partial<TrainHappenings>): Promise<void> =>
  ground.db.transaction((tx) =>
    recordHistory(tx, { id: trainId }, { events: [], opened: [], cars: new Map(), actorId: 0, now, ...happened }),
  );

const opened = (more: object = {}) => {
  pipelines += 1;
  return { pipelineId: pipelines, sha, cars: 1, rerun: false, probe: false, ...more };
};

const judged = (pipelineId: number, verdict: 'green' | 'failed' | 'late', failedNames: string[] = []): TrainEvent => ({
  kind: 'judged',
  pipelineId,
  verdict,
  failedNames,
});

const measured = async (trainId: number) =>
  (
    await ground.rows<{ day: string; measure: string; name: string; value: number }>(sql`
      select to_char(day, 'YYYY-MM-DD') as day, measure, name, value from merge_train_measures
      where train_id = ${trainId} order by day, measure, name`)
  ).map(({ day, measure, name, value }) => [day, measure, name, value]);

const runs = (trainId: number) =>
  ground.rows(sql`
    select pipeline_id as id, cars, rerun, opened_at as "openedAt", finished_at as "finishedAt", verdict from merge_train_runs
    where train_id = ${trainId} order by id`);

test('a pipeline is kept when it is opened, and ends once; one that was given up stays open (7)', async () => {
  const train = await ground.train();
  const [one, two, probe] = [opened({ cars: 3 }), opened({ rerun: true }), opened({ cars: 2, probe: true })];
  await record(train.id, { opened: [one, two, probe] });
  const later = new Date('2026-03-01T10:20:00.000Z');
  await record(train.id, { events: [judged(one.pipelineId, 'failed', ['unit'])], now: later });
  await record(train.id, { events: [judged(one.pipelineId, 'green')], now: new Date('2026-03-01T10:30:00.000Z') });
  await record(train.id, { events: [judged(one.pipelineId, 'failed', ['unit'])], now: later });
  const open = { openedAt: now, finishedAt: null, verdict: null };
  expect(await runs(train.id)).toEqual([
    { id: one.pipelineId, cars: 3, rerun: false, openedAt: now, finishedAt: later, verdict: 'failed' },
    { id: two.pipelineId, cars: 1, rerun: true, ...open },
    { id: probe.pipelineId, cars: 0, rerun: false, ...open },
  ]);
  expect(await measured(train.id)).toEqual([
    ['2026-03-01', 'builds', '', 3],
    ['2026-03-01', 'failures', 'unit', 1],
  ]);
});

test('a departure is kept with the title of then, landings included, and why (3, 8)', async () => {
  const train = await ground.train();
  const added = new Date('2026-03-01T09:30:00.000Z');
  const [landed, failed, taken] = [
    await ground.car(train, added),
    await ground.car(train, added),
    await ground.car(train, added),
  ];
  const evidence = {
    testedSha: failed.sha,
    baseSha: sha,
    pipelineId: 7,
    statuses: Array.from({ length: 120 }, (_, at) => ({ name: `${at}-${'x'.repeat(300)}`, targetUrl: undefined })),
    reruns: 1,
  };
  const cars = new Map<number, DepartingCar>([
    [landed.id, landed],
    [failed.id, { ...failed, evidence }],
    [taken.id, { ...taken, sha: undefined }],
  ]);
  const removed = { kind: 'removed', pipelineId: undefined, blamedOn: undefined } as const;
  await record(train.id, {
    events: [
      { kind: 'merged', carId: landed.id, sha },
      { ...removed, carId: failed.id, reason: 'pipeline_failed' },
      { ...removed, carId: taken.id, reason: 'canceled' },
    ],
    cars,
    actorId: 3,
  });
  const left = await ground.rows(sql`
    select car_id, merge_request_iid, title, reason, sha, evidence, user_id, at from merge_train_departures
    where train_id = ${train.id} order by id`);
  expect(left).toEqual([
    expect.objectContaining({ car_id: landed.id, title: `Change ${landed.iid}`, reason: 'merged', sha, user_id: null }),
    expect.objectContaining({ merge_request_iid: failed.iid, reason: 'pipeline_failed', sha: failed.sha, user_id: 3 }),
    expect.objectContaining({ reason: 'canceled', sha: null, evidence: null, at: now }),
  ]);
  const kept = left[1]?.evidence as typeof evidence;
  expect(kept).toMatchObject({ testedSha: failed.sha, baseSha: sha, pipelineId: 7, reruns: 1 });
  expect([kept.statuses.length, kept.statuses[0]?.name.length]).toEqual([100, 255]);
  expect(await measured(train.id)).toEqual([
    ['2026-03-01', 'landings', '', 1],
    ['2026-03-01', 'removals', 'canceled', 1],
    ['2026-03-01', 'removals', 'pipeline_failed', 1],
    ['2026-03-01', 'turnaround', '94', 1],
  ]);
  const [row] = await ground.rows(sql`select landed_at from merge_trains where id = ${train.id}`);
  expect(row?.landed_at).toEqual(now);
});

test('the number of statements is the same for one car and for a hundred', async () => {
  const cost = async (size: number): Promise<number> => {
    const train = await ground.train();
    const cars = new Map<number, DepartingCar>();
    for (let at = 0; at < size; at += 1) {
      const car = await ground.car(train, now);
      cars.set(car.id, car);
    }
    const runsOpened = [...cars].map(() => opened());
    const { statements } = await countStatements(() =>
      record(train.id, {
        events: [
          ...runsOpened.map(({ pipelineId }) => judged(pipelineId, 'failed', [`name ${pipelineId}`])),
          ...[...cars.keys()].map((carId) => ({ kind: 'merged', carId, sha }) as const),
          { kind: 'state_changed', state: 'paused', targetFailing: true, names: ['unit'] },
        ],
        opened: runsOpened,
        cars,
      }),
    );
    expect((await runs(train.id)).filter(({ verdict }) => verdict === 'failed')).toHaveLength(size);
    return statements;
  };
  const one = await cost(1);
  expect(await cost(100)).toBe(one);
  // begin and commit among them.
  expect(one).toBeLessThanOrEqual(8);
});

test('what changes nothing costs nothing', async () => {
  const train = await ground.train();
  const { statements } = await countStatements(() => record(train.id, {}));
  const { statements: none } = await countStatements(() => ground.db.transaction(async () => undefined));
  expect(statements).toBe(none);
});

test('pauses are counted by day, through changes of their reason (5, 7)', async () => {
  const train = await ground.train();
  const at = (time: string, state: 'paused' | 'running' | 'draining') =>
    record(train.id, {
      events: [{ kind: 'state_changed', state, targetFailing: false, names: [] }],
      now: new Date(time),
    });
  await at('2026-03-01T23:00:00Z', 'paused');
  await at('2026-03-02T00:30:00Z', 'paused');
  await at('2026-03-02T01:00:00Z', 'draining');
  await at('2026-03-02T02:00:00Z', 'running');
  await at('2026-03-02T03:00:00Z', 'paused');
  await at('2026-03-02T03:00:01Z', 'running');
  expect(await measured(train.id)).toEqual([
    ['2026-03-01', 'paused', '', 3_600_000],
    ['2026-03-02', 'paused', '', 3_601_000],
  ]);
});

test('a day has at most 500 status names, known ones go on, and the rest counts together (7)', async () => {
  const train = await ground.train();
  const fail = async (from: number, to: number) => {
    const one = opened();
    await record(train.id, { opened: [one] });
    const names = Array.from({ length: to - from }, (_, at) => `n${from + at}`);
    await record(train.id, { events: [judged(one.pipelineId, 'failed', names)] });
  };
  for (let from = 0; from < 480; from += 80) await fail(from, from + 80);
  await fail(480, 550);
  await fail(470, 560);
  const named = (await measured(train.id)).filter(([, measure]) => measure === 'failures');
  expect(named).toHaveLength(501);
  const sums = new Map(named.map(([, , name, value]) => [name, value]));
  expect([sums.get(''), sums.get('n0'), sums.get('n480'), sums.get('n475')]).toEqual([50 + 60, 1, 2, 2]);
  const flaked = opened();
  await record(train.id, { opened: [flaked], events: [{ kind: 'flaked', carId: 1, names: ['of-flakes'] }] });
  expect(await measured(train.id)).toContainEqual(['2026-03-01', 'flakes', 'of-flakes', 1]);
});

test('old rows of a train go, its newest thousand and its counters stay', async () => {
  const [long, short, fresh] = [await ground.train(), await ground.train(), await ground.train()];
  const retention = trainRetentionStore(ground.db);
  const fill = async (trainId: number, rows: number, newestDays: number) => {
    await ground.rows(sql`
      insert into merge_train_departures (train_id, car_id, merge_request_id, merge_request_iid, title, reason, at)
      select ${trainId}, 1000000 * ${trainId}::bigint + n, n, n, 'Title', 'merged',
        now() - make_interval(days => ${newestDays}::int, hours => ${rows}::int - n) from generate_series(1, ${rows}::int) n`);
    await ground.rows(sql`
      insert into merge_train_runs (train_id, pipeline_id, sha, cars, opened_at)
      select ${trainId}, 1000000 * ${trainId}::bigint + n, ${sha}, 1,
        now() - make_interval(days => ${newestDays}::int, hours => ${rows}::int - n) from generate_series(1, ${rows}::int) n`);
    await ground.rows(sql`
      insert into merge_train_measures (train_id, day, measure, value) values (${trainId}, '2020-01-01', 'landings', 5)`);
  };
  await fill(long.id, 1_500, 100);
  await fill(short.id, 900, 400);
  // 62.5 days of it are younger than 90 days.
  await fill(fresh.id, 3_000, 0);
  const left = async (trainId: number) => [
    (await ground.rows(sql`select 1 from merge_train_departures where train_id = ${trainId}`)).length,
    (await runs(trainId)).length,
  ];
  expect(await retention.pruneDepartures(90, 300)).toBe(300);
  for (const prune of [retention.pruneDepartures, retention.pruneRuns]) while ((await prune(90, 1_000)) > 0);
  expect([await left(long.id), await left(short.id)]).toEqual([
    [1_000, 1_000],
    [900, 900],
  ]);
  expect(await left(fresh.id)).toEqual([90 * 24, 90 * 24]);
  const [newest] = await ground.rows(
    sql`select min(merge_request_iid) as iid from merge_train_departures where train_id = ${long.id}`,
  );
  expect(newest?.iid).toBe(501);
  expect(await measured(long.id)).toEqual([['2020-01-01', 'landings', '', 5]]);
});
