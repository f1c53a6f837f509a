import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { logger } from '@switchyard/telemetry';
import { eventually } from '@switchyard/testkit';
import { watchTrains } from '../../src/merge-trains/application/watch-trains';
import { startWatchingTrains } from '../../src/merge-trains/compose-watchdog';
import { recordHistory } from '../../src/merge-trains/storage/merge-train.history';
import { watchedTrainStore } from '../../src/merge-trains/storage/watched-trains.store';
import { trainGround } from './train-ground';

const ground = trainGround();
const start = new Date('2026-03-10T12:00:00.000Z');
const minutes = (count: number): Date => new Date(start.getTime() + count * 60_000);
const sha = 'a'.repeat(40);
let pipelines = 0;
let counted = 0;
let logged: jest.SpyInstance;

beforeEach(async () => {
  counted = 0;
  logged = jest.spyOn(logger, 'error').mockImplementation(() => undefined);
  await ground.db.query(sql`truncate merge_trains, jobs cascade`);
});
afterEach(() => logged.mockRestore());

/** A look of the watchdog so many minutes after the start; returns how many stops it found, and logged. */
async function look(after: number): Promise<number> {
  const before = [counted, logged.mock.calls.length];
  await watchTrains({
    trains: watchedTrainStore(ground.db),
    clock: () => minutes(after),
    countStuck: () => {
      counted += 1;
    },
  })();
  expect(logged.mock.calls.length - before[1]!).toBe(counted - before[0]!);
  return counted - before[0]!;
}

const record = (trainId: number, after: number, happened: Partial<Parameters<typeof recordHistory>[2]>) =>
  ground.db.transaction((tx) =>
    recordHistory(
      tx,
      { id: trainId },
      { events: [], opened: [], cars: new Map(), actorId: 0, now: minutes(after), ...happened },
    ),
  );

/** A pipeline of a train with a verdict so many minutes after the start. */
async function judged(trainId: number, after: number, verdict: 'green' | 'failed' = 'green'): Promise<void> {
  pipelines += 1;
  const pipelineId = pipelines;
  await record(trainId, after, {
    opened: [{ pipelineId, sha, cars: 1, rerun: false, probe: false }],
    events: [{ kind: 'judged', pipelineId, verdict, failedNames: [] }],
  });
}

/** Landings of this train before the start, with this turnaround. */
async function landed(train: { id: number; branch: string }, turnaroundMinutes: number, count = 20): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const car = await ground.car(train, minutes(-60 - turnaroundMinutes));
    await record(train.id, -60, {
      events: [{ kind: 'merged', carId: car.id, sha }],
      cars: new Map([[car.id, car]]),
    });
    await ground.rows(sql`update merge_train_cars set status = 'merged' where id = ${car.id}`);
  }
}

const state = async (trainId: number) => {
  const [row] = await ground.rows<{ moves: number; stuck: Date | null }>(
    sql`select target_moves as moves, stuck_since as stuck from merge_trains where id = ${trainId}`,
  );
  const jobs = await ground.rows(sql`select kind, key from jobs`);
  return { ...row, jobs };
};

/** A train with a car, green at the start, whose usual turnaround is ten minutes. */
async function greenTrain() {
  const train = await ground.train();
  await landed(train, 10);
  const car = await ground.car(train, minutes(-5));
  await judged(train.id, 0);
  return { ...train, car };
}

test('a green train that lands nothing for four times its p95 is counted, logged, and looked at from scratch (11)', async () => {
  const train = await greenTrain();
  expect([await look(5), await look(38)]).toEqual([0, 0]);
  expect(await state(train.id)).toEqual({ moves: 0, stuck: null, jobs: [] });
  expect(await look(43)).toBe(1);
  expect(await state(train.id)).toEqual({
    moves: 1,
    stuck: minutes(43),
    jobs: [{ kind: 'merge_train', key: String(train.id) }],
  });
  expect(logged.mock.calls[0]).toEqual([
    expect.objectContaining({ train_id: train.id, project_id: 1, target_branch: train.branch, waiting_since: start }),
    'a merge train has green results and lands nothing',
  ]);
});

test('one stop is counted and logged once, by one of two processes at once, and looked at again each time', async () => {
  const train = await greenTrain();
  const found = await Promise.all([look(43), look(43)].map((one) => one.catch(() => 0)));
  expect([counted, logged.mock.calls.length, found.length]).toEqual([1, 1, 2]);
  const { moves } = await state(train.id);
  expect([await look(44), await look(90)]).toEqual([0, 0]);
  expect((await state(train.id)).moves).toBe(moves! + 2);
  expect(await watchedTrainStore(ground.db).countStuck()).toBe(1);
});

test('a landing ends the stop, and the next one is counted again', async () => {
  const train = await greenTrain();
  expect(await look(43)).toBe(1);
  const next = await ground.car(train, minutes(40));
  await record(train.id, 44, {
    events: [{ kind: 'merged', carId: train.car.id, sha }],
    cars: new Map([[train.car.id, train.car]]),
  });
  await ground.rows(sql`update merge_train_cars set status = 'merged' where id = ${train.car.id}`);
  expect(await watchedTrainStore(ground.db).countStuck()).toBe(0);
  expect(await look(200)).toBe(0);
  await judged(train.id, 201);
  expect([await look(210), await look(500), next.id]).toEqual([0, 1, next.id]);
});

test.each<[string, (train: { id: number }) => Promise<unknown>]>([
  [
    'has no cars',
    ({ id }) => ground.rows(sql`delete from merge_train_cars where train_id = ${id} and status = 'idle'`),
  ],
  ['is paused', ({ id }) => ground.rows(sql`update merge_trains set control_state = 'paused' where id = ${id}`)],
  [
    'was paused until now',
    ({ id }) => ground.rows(sql`update merge_trains set control_changed_at = ${minutes(40)} where id = ${id}`),
  ],
  [
    'was added after what was green',
    ({ id }) =>
      ground.rows(
        sql`update merge_train_cars set created_at = ${minutes(1)} where train_id = ${id} and status = 'idle'`,
      ),
  ],
  [
    'has seen failures alone',
    ({ id }) => ground.rows(sql`update merge_train_runs set verdict = 'failed' where train_id = ${id}`),
  ],
  [
    'has landed since',
    ({ id }) => ground.rows(sql`update merge_trains set landed_at = ${minutes(1)} where id = ${id}`),
  ],
  ['is of a deleted project', () => ground.rows(sql`update directory.projects set deleted_at = now()`)],
])('not stuck: one that %s', async (_, change) => {
  const train = await greenTrain();
  await change(train);
  try {
    expect(await look(70)).toBe(0);
    expect(await state(train.id)).toMatchObject({ moves: 0, stuck: null });
  } finally {
    await ground.rows(sql`update directory.projects set deleted_at = null`);
  }
});

describe('what is reported for the first car counts, though its train has not found it green', () => {
  /** A train whose first car has a pipeline with these reports, made at the start. */
  async function reported(statuses: Record<string, string>, pipeline = 'success') {
    const train = await ground.train();
    const car = await ground.car(train, minutes(-5));
    await ground.car(train, minutes(-4));
    await ground.rows(sql`
      with pl as (
        insert into pipelines (iid, project_id, sha, ref, tag, source, status, user_id)
        values (${car.iid}, 1, ${car.sha}, 'train', false, 'merge_request_event', ${pipeline}, 3) returning id),
      reports as (
        insert into commit_statuses (pipeline_id, project_id, sha, ref, name, status, user_id, finished_at)
        select pl.id, 1, ${car.sha}, 'train', name, status, 3, ${start}
        from pl, unnest(${Object.keys(statuses)}::text[], ${Object.values(statuses)}::text[]) as given (name, status))
      update merge_train_cars set pipeline_id = pl.id, status = 'fresh' from pl where merge_train_cars.id = ${car.id}`);
    return train;
  }
  const settings = (required: string[], count: number) =>
    ground.rows(sql`
      update directory.projects set merge_train_required_statuses = ${required}::text[], merge_train_required_status_count = ${count}`);
  afterEach(() => settings([], 0));

  test.each<[string, string[], number, Record<string, string>, string, number]>([
    ['all names have passed', [], 0, { unit: 'success' }, 'success', 1],
    ['a name is pending', [], 0, { unit: 'success', lint: 'pending' }, 'running', 0],
    ['nothing was reported', [], 0, {}, 'pending', 0],
    ['enough names have passed', [], 2, { unit: 'success', lint: 'success' }, 'success', 1],
    ['a name is missing of the number', [], 2, { unit: 'success' }, 'success', 0],
    [
      'the required names have passed',
      ['unit', 'lint'],
      9,
      { unit: 'success', lint: 'success', slow: 'running' },
      'running',
      1,
    ],
    ['a required name is missing', ['unit', 'lint'], 0, { unit: 'success', slow: 'success' }, 'success', 0],
  ])('%s', async (_, required, count, statuses, pipeline, found) => {
    await reported(statuses, pipeline);
    await settings(required, count);
    expect([await look(59), await look(61)]).toEqual([0, found]);
  });

  test('it waits from the landing before it on', async () => {
    const { id } = await reported({ unit: 'success' });
    await ground.rows(sql`update merge_trains set landed_at = ${minutes(30)} where id = ${id}`);
    expect([await look(61), await look(91)]).toEqual([0, 1]);
  });
});

test('a draining train is watched, one that is paused while it is stuck is not stuck any more', async () => {
  const train = await greenTrain();
  await ground.rows(sql`update merge_trains set control_state = 'draining' where id = ${train.id}`);
  expect(await look(43)).toBe(1);
  await ground.rows(sql`update merge_trains set control_state = 'paused' where id = ${train.id}`);
  expect(await look(44)).toBe(0);
  expect(await state(train.id)).toMatchObject({ moves: 1, stuck: null });
});

test('one that landed between the look and its outcome is left alone, and so is one that is being changed', async () => {
  const train = await greenTrain();
  const trains = watchedTrainStore(ground.db);
  const waiting = await trains.waiting(minutes(43));
  expect(waiting.map(({ id }) => id)).toEqual([train.id]);
  await ground.db.transaction(async (tx) => {
    await tx.query(sql`select from merge_trains where id = ${train.id} for update`);
    expect(await trains.lookAgain(waiting, minutes(43))).toEqual([]);
  });
  await record(train.id, 43, { events: [{ kind: 'merged', carId: 1, sha }] });
  expect(await trains.lookAgain(waiting, minutes(43))).toEqual([]);
  expect(await state(train.id)).toEqual({ moves: 0, stuck: null, jobs: [] });
});

test('the number of statements is the same for one stuck train and for fifty', async () => {
  const cost = async () => (await countStatements(() => look(43))).statements;
  await greenTrain();
  const one = await cost();
  await ground.db.query(sql`truncate merge_trains, jobs cascade`);
  for (let n = 0; n < 50; n += 1) {
    const train = await ground.train();
    await ground.car(train, minutes(-100));
    await judged(train.id, -90);
  }
  expect(await cost()).toBe(one);
  expect(counted).toBe(51);
});

test('the watchdog runs from the start of the process, and old departures go', async () => {
  const train = await greenTrain();
  await ground.rows(sql`
    insert into merge_train_departures (train_id, car_id, merge_request_id, merge_request_iid, title, reason, at)
    select ${train.id}, 1000000 + n, n, n, 'Title', 'merged', now() - interval '91 days' from generate_series(1, 1200) n`);
  const watching = startWatchingTrains({ db: ground.db, clock: () => minutes(60) });
  try {
    await eventually(async () => expect(await state(train.id)).toMatchObject({ moves: 1, stuck: minutes(60) }));
    await eventually(async () =>
      expect(await ground.rows(sql`select from merge_train_departures where train_id = ${train.id}`)).toHaveLength(
        1_000,
      ),
    );
  } finally {
    await watching.close();
  }
});
