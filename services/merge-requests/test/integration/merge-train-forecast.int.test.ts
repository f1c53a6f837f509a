import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { forecaster, forecastMergeTrain } from '../../src/merge-trains/application/forecast-merge-train';
import { keepForecasts } from '../../src/merge-trains/application/keep-forecasts';
import { composeForecasts } from '../../src/merge-trains/compose-forecasts';
import { presentTrainForecast } from '../../src/merge-trains/presenters/train-forecast.presenter';
import { mergeTrainStore } from '../../src/merge-trains/storage/merge-train.store';
import { trainForecastStore } from '../../src/merge-trains/storage/train-forecast.store';
import { trainGround } from './train-ground';

const ground = trainGround();
const now = new Date('2026-03-10T12:00:00.000Z');
const minutes = (count: number): Date => new Date(now.getTime() + count * 60_000);
let pipelines = 0;

const edges = () => ({
  mergeTrains: mergeTrainStore(ground.db),
  forecasts: trainForecastStore(ground.db),
  clock: () => now,
});
const read = (targetBranch: string, projectId = 1) =>
  forecastMergeTrain(trainForecastStore(ground.db), forecaster(edges()))({ projectId, targetBranch });

/** Runs of a train that lasted so many minutes. */
async function ran(trainId: number, lasted: readonly number[], verdict = 'green', cars = 1): Promise<void> {
  for (const [at, length] of lasted.entries()) {
    pipelines += 1;
    await ground.rows(sql`
      insert into merge_train_runs (train_id, pipeline_id, sha, cars, opened_at, finished_at, verdict)
      values (${trainId}, ${pipelines}, ${'a'.repeat(40)}, ${cars}, ${minutes(-1_000 + at)}, ${minutes(-1_000 + at + length)}, ${verdict})`);
  }
}

const kept = (trainId: number) =>
  ground.rows<{ at: Date | null; by: Date | null; updated: string }>(sql`
    select expected_at as at, expected_by as by, updated_at::text as updated from merge_train_cars
    where train_id = ${trainId} order by id`);
const versionOf = (trainId: number) =>
  ground.rows(sql`select version, updated_at::text as updated from merge_trains where id = ${trainId}`);

test('a forecast says when each car lands, from the runs of its train (6)', async () => {
  const train = await ground.train();
  const cars = [await ground.car(train, now), await ground.car(train, now)];
  // A probe, a run that was given up and those of another train are none of its own.
  await ran(train.id, [20, 20, 20, 20]);
  await ran(train.id, [900], 'green', 0);
  await ran(train.id, [900], 'canceled');
  await ran((await ground.train()).id, [20, 20]);
  const entry = (at: number, times: object) => ({
    id: cars[at]?.id,
    merge_request_iid: cars[at]?.iid,
    position: at + 1,
    ...times,
  });
  expect(presentTrainForecast(await read(train.branch))).toEqual({
    target_branch: train.branch,
    known_runs: 4,
    reason: 'too_few_runs',
    generated_at: now.toISOString(),
    entries: [0, 1].map((at) => entry(at, { expected_at: null, expected_by: null })),
  });
  await ran(train.id, [20]);
  const forecast = await read(train.branch);
  expect(presentTrainForecast(forecast)).toMatchObject({
    known_runs: 5,
    reason: null,
    entries: [0, 1].map((at) => entry(at, { expected_at: minutes(20).toISOString(), expected_by: expect.any(String) })),
  });
  expect(forecast.entries[1]?.expectedBy?.getTime()).toBeGreaterThanOrEqual(minutes(20).getTime());
  await ground.rows(sql`update merge_trains set control_state = 'paused' where id = ${train.id}`);
  expect(await read(train.branch)).toMatchObject({ reason: 'paused', entries: [{ expectedAt: undefined }, {}] });
});

test('a branch without a train has no forecast', async () => {
  await expect(read('none')).rejects.toMatchObject({ kind: 'not_found' });
  const train = await ground.train();
  await expect(read(train.branch, 2)).rejects.toMatchObject({ kind: 'not_found' });
});

test('what is kept is no change of the train, and is not kept twice', async () => {
  const train = await ground.train();
  await ground.car(train, now);
  await ran(train.id, [20, 20, 20, 20, 20]);
  const before = await kept(train.id);
  const version = await versionOf(train.id);
  const forecasts = trainForecastStore(ground.db);
  const heard: (string | undefined)[] = [];
  const unlisten = ground.db.notices.listen('switchyard_merge_trains', (payload) => heard.push(payload));
  const times = () => heard.filter((one) => one === String(train.id)).length;
  const { changed, run, look } = keepForecasts({ forecasts, forecastOf: (id) => forecaster(edges())(id) });
  const running = () => run(new AbortController().signal);
  await eventually(() => expect(heard).toEqual([undefined]));

  changed(train.id);
  await running();
  expect(await kept(train.id)).toEqual([{ at: minutes(20), by: expect.any(Date), updated: before[0]?.updated }]);
  expect(await versionOf(train.id)).toEqual(version);
  await eventually(() => expect(times()).toBe(1));

  // Neither its own notice nor another process makes it again, until the train changes or a minute has passed.
  changed(train.id);
  const { statements } = await countStatements(running);
  expect(statements).toBe(1);
  await ground.rows(sql`update merge_trains set version = version + 1 where id = ${train.id}`);
  expect(await forecasts.claim(train.id)).toBe(true);
  expect(await forecasts.claim(train.id)).toBe(false);
  await ground.rows(sql`update merge_trains set forecast_at = now() - interval '56 seconds' where id = ${train.id}`);
  expect(await forecasts.outdated()).toContain(train.id);
  await ground.rows(sql`update merge_train_cars set expected_at = null where train_id = ${train.id}`);
  await look();
  await running();
  expect(await kept(train.id)).toMatchObject([{ at: minutes(20) }]);
  expect(await forecasts.outdated()).not.toContain(train.id);
  unlisten();
});

test('it follows changes by itself', async () => {
  const train = await ground.train();
  await ground.car(train, now);
  await ran(train.id, [20, 20, 20, 20, 20]);
  const { clock } = edges();
  const forecasting = composeForecasts({ db: ground.db, clock }, mergeTrainStore(ground.db)).start();
  try {
    await eventually(async () => expect(await kept(train.id)).toMatchObject([{ at: minutes(20) }]));
    await ground.car(train, now);
    await ground.db.transaction(async (tx) => {
      await tx.query(sql`update merge_trains set version = version + 1 where id = ${train.id}`);
      tx.notify('switchyard_merge_trains', String(train.id));
    });
    await eventually(async () => expect(await kept(train.id)).toMatchObject([{}, { at: minutes(20) }]));
  } finally {
    await forecasting.close();
  }
});
