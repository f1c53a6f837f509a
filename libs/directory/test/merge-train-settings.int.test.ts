import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, migrate, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { DirectoryProjectSettings } from '@switchyard/protos/groups_admin/v1/directory';
import { logger } from '@switchyard/telemetry';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { DirectoryModel } from '@switchyard/testkit/installation';
import { type Directory, directoryMigrations, projectById, startDirectory } from '../src';

let database: TestDatabase;
let db: Database;
let directory: Directory | undefined;

const useDatabase = async (made: TestDatabase): Promise<void> => {
  database = made;
  db = openDatabase({ url: database.url, applicationName: 'directory test' });
};

afterEach(async () => {
  await directory?.close();
  directory = undefined;
  await db.close();
  await database.close();
});

const start = async (model: DirectoryModel): Promise<void> => {
  directory = await startDirectory({ db, client: model.client, pollMs: 200, log: logger });
  await eventually(() => expect(directory?.ready()).toBe(true));
};

const caughtUp = (model: DirectoryModel) => eventually(() => directory?.ensure(model.changes.length));

const given = {
  mergeTrainsEnabled: true,
  mergeTrainsSkipTrainAllowed: true,
  mergeTrainRequiredStatuses: ['build', 'unit, "slow"'],
  mergeTrainTimeout: 90,
  mergeTrainParallelCars: 3,
  mergeTrainRetries: 0,
  mergeTrainBatchSize: 7,
  mergeTrainRequiredStatusCount: 5,
  mergeTrainSettlingSeconds: 0,
};
const settings = DirectoryProjectSettings.fromPartial(given);

const stored = {
  merge_trains_enabled: true,
  merge_trains_skip_train_allowed: true,
  merge_train_required_statuses: ['build', 'unit, "slow"'],
  merge_train_timeout: 90,
  merge_train_parallel_cars: 3,
  merge_train_retries: 0,
  merge_train_batch_size: 7,
  merge_train_required_status_count: 5,
  merge_train_settling_seconds: 0,
};

describe('merge train settings', () => {
  beforeEach(async () => useDatabase(await testDatabase({ sets: [directoryMigrations] })));

  it('are kept as they came, with the defaults of what was never set', async () => {
    const model = new DirectoryModel();
    const group = model.namespace({ tier: 'premium' });
    const plain = model.project(group.id, { settings: DirectoryProjectSettings.fromPartial({}) });
    await start(model);
    const tuned = model.project(group.id, { settings });
    await caughtUp(model);
    expect(await projectById(db, tuned.id)).toMatchObject(stored);
    expect(await projectById(db, plain.id)).toMatchObject({
      merge_trains_enabled: false,
      merge_trains_skip_train_allowed: false,
      merge_train_required_statuses: [],
      merge_train_timeout: 60,
      merge_train_parallel_cars: 20,
      merge_train_retries: 1,
      merge_train_batch_size: 4,
      merge_train_required_status_count: 0,
      merge_train_settling_seconds: 2,
    });
    await directory?.rebuild();
    expect(await projectById(db, tuned.id)).toMatchObject(stored);
  });

  it('are in force where the tier of the top-level group has trains, else where the instance’s has; one change is enough', async () => {
    const model = new DirectoryModel();
    const top = model.namespace();
    const below = model.namespace({ parentId: top.id });
    const project = model.project(below.id, { settings });
    await start(model);
    const found = async () => {
      await caughtUp(model);
      const row = await projectById(db, project.id);
      return [row?.tier, row?.merge_trains_enabled];
    };
    expect(await found()).toEqual(['free', false]);
    model.write({ $case: 'instance', value: { id: 1, tier: 'premium' } });
    expect(await found()).toEqual(['premium', true]);
    model.changeNamespace(top.id, { tier: 'free' });
    expect(await found()).toEqual(['free', false]);
    model.changeNamespace(top.id, { tier: 'ultimate' });
    model.write({ $case: 'instance', value: { id: 1, tier: 'free' } });
    expect(await found()).toEqual(['ultimate', true]);
    // The tier of a group that is not at the top does not count.
    model.changeNamespace(top.id, { tier: '' });
    model.changeNamespace(below.id, { tier: 'ultimate' });
    expect(await found()).toEqual(['free', false]);
    model.moveNamespace(below.id, 0, 'free-again');
    expect(await found()).toEqual(['ultimate', true]);
  });
});

it.each([
  ['merge trains', '20261121050000'],
  ['retries and batches', '20261210000000'],
])('a replica from before %s is read again once, at the next start', async (_what, first) => {
  const before = await mkdtemp(join(tmpdir(), 'switchyard-migrations-'));
  const old = (await readdir(directoryMigrations.directory)).filter((name) => name < first);
  for (const name of old) {
    await cp(join(directoryMigrations.directory, name), join(before, name), { recursive: true });
  }
  await useDatabase(await testDatabase({ sets: [{ ...directoryMigrations, directory: before }] }));
  await rm(before, { recursive: true });
  const model = new DirectoryModel();
  const group = model.namespace({ tier: 'premium' });
  const project = model.project(group.id, { settings });
  await db.query(sql`update directory.state set generation = 1, sequence = ${model.changes.length}`);
  await migrate({ url: database.url, sets: [directoryMigrations] });

  await start(model);
  await eventually(async () => expect(await projectById(db, project.id)).toMatchObject(stored));
  expect(model.calls.snapshot).toBe(1);
  await directory?.close();
  await start(model);
  await caughtUp(model);
  expect(model.calls.snapshot).toBe(1);
});
