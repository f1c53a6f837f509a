import { join } from 'node:path';
import { eventMigrations, logMigrations } from '@switchyard/events';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import pg from 'pg';
import { runMain } from '../src/main';
import { isServiceMigrated, migrateService } from '../src/migrate';

const sets = [{ schema: 'public', directory: join(__dirname, 'migrations') }, eventMigrations];
let home: TestDatabase;
let log: TestDatabase;

beforeEach(async () => {
  home = await testDatabase({ sets: [] });
  log = await testDatabase({ sets: [] });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await home.close();
  await log.close();
});

it('migrates with two variables and without the service', async () => {
  jest.replaceProperty(process, 'argv', ['node', 'main.js', 'migrate']);
  jest.replaceProperty(process, 'env', { DATABASE_URL: home.url, LOG_DATABASE_URL: log.url });
  const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
  const out = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const load = jest.fn();
  runMain('things', sets, load);
  await eventually(() => expect(exit).toHaveBeenCalledWith(0));
  expect(load).not.toHaveBeenCalled();
  expect(out).toHaveBeenCalledWith(expect.stringMatching(/^things: \d+ migrations applied\n$/));
  expect(await isServiceMigrated({ DATABASE_URL: home.url, LOG_DATABASE_URL: log.url }, sets)).toBe(true);
});

it('says in one line why it does not, with the exit code of a refused configuration', async () => {
  jest.replaceProperty(process, 'argv', ['node', 'main.js', 'migrate']);
  jest.replaceProperty(process, 'env', { DATABASE_URL: 'nowhere' });
  const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
  const complained = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  runMain('things', sets, jest.fn());
  await eventually(() => expect(exit).toHaveBeenCalledWith(78));
  expect(complained.mock.calls).toEqual([['migrate: DATABASE_URL: must be a postgresql:// address\n']]);
});

describe('whether a service is migrated', () => {
  const databases = () => ({ DATABASE_URL: home.url, LOG_DATABASE_URL: log.url });
  const asked = () => isServiceMigrated(databases(), sets);
  async function change(url: string, statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  it('is no while its database or the log lacks a migration', async () => {
    expect(await asked()).toBe(false);
    await migrateService({ DATABASE_URL: home.url }, sets);
    expect(await asked()).toBe(false);
    expect(await isServiceMigrated({ ...databases(), KAFKA_BROKERS: 'broker:9092' }, sets)).toBe(true);
    await migrateService(databases(), sets);
    expect(await asked()).toBe(true);
    await change(home.url, `delete from events._prisma_migrations`);
    expect(await asked()).toBe(false);
  });

  it('is no on a database of a version that marked no migration as additive', async () => {
    await migrateService(databases(), sets);
    await change(log.url, `drop table ${logMigrations.schema}._additive_migrations`);
    expect(await asked()).toBe(false);
  });

  it('is for `migrate` to refuse on a database of a newer version', async () => {
    await migrateService(databases(), sets);
    await change(home.url, `update _prisma_migrations set migration_name = '99990101000000_later'`);
    await expect(asked()).rejects.toThrow('of a newer version');
  });
});
