import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isBackupRunning } from '@switchyard/background';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../libs/machine/src/embedded-postgres.mjs';
import { endProcessesOf } from '../../libs/machine/src/leftovers.mjs';
import { SERVICES } from '../catalogue.mjs';
import { backup, restore } from '../local/backup.mjs';
import { openDataFolder } from '../local/data-folder.mjs';
import { readEnvironment } from '../local/environment.mjs';
import { LaunchFailure } from '../local/failure.mjs';
import { createProgress } from '../local/progress.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-backup-'));
  chmodSync(folder, 0o711);
});
afterEach(async () => {
  await endProcessesOf(folder);
  rmSync(folder, { recursive: true });
});

const OWNERS = SERVICES.filter(({ database }) => database);

/** Rows that are there at a time; each names a file by its number. */
const kept = 50;

const settingsOf = (env: NodeJS.ProcessEnv) => readEnvironment(env, { root: folder, cwd: folder });

const clientOf = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
};

it('has of every row the file that it names, however many came and went while it was made', async () => {
  const [data, place, elsewhere] = ['data', 'place', 'elsewhere'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  openDataFolder(data);
  // Many writes at each moment of the backup.
  const settings = { fsync: 'off', synchronous_commit: 'off' };
  const server = await startEmbeddedPostgres({ dataDir: join(data, 'postgres'), settings });
  const client = await clientOf(server.url('postgres'));
  await client.query('create table files (number int primary key)');
  const events = `create schema events; create table events.inbox (received_at timestamptz);
    insert into events.inbox values (now() - interval '8 days');
    create table events.outbox (published_at timestamptz); insert into events.outbox values (now())`;
  // As a release made it that did not have the last of the services yet.
  const owners = OWNERS.slice(0, -1);
  for (const { database } of owners) {
    await client.query(`create database ${database}`);
    const own = await clientOf(server.url(database as string));
    await own.query(events);
    await own.end();
  }
  const fileOf = (number: number, root = data) => join(root, 'blobs', `${number}`);
  let [made, ending] = [0, false];
  // As services do it: a file before its row, and a row before its file, which stays while a backup runs.
  const writer = (async () => {
    for (; !ending; made += 1) {
      writeFileSync(fileOf(made), '');
      await client.query('insert into files values ($1)', [made]);
      const { rows } = await client.query('delete from files where number <= $1 returning number', [made - kept]);
      if (await isBackupRunning(data)) continue;
      for (const { number } of rows) rmSync(fileOf(number));
    }
  })();
  const progress = createProgress({ write: () => {} });
  await backup(settingsOf({ SWITCHYARD_DATA: data }), place, progress).finally(() => {
    ending = true;
  });
  await writer;
  await client.end();
  await server.remove();

  const copied = join(place, 'blobs', `${readdirSync(join(place, 'blobs'))[0]}`);
  const [control, key, description] = ['postgres/cluster/global/pg_control', 'keys/another', 'backup.json'].map(
    (name) => join(place, name),
  ) as [string, string, string];
  const said = readFileSync(description);
  const away = join(folder, 'away');
  for (const [what, damage, undo] of [
    [
      `${relative(place, copied)} is missing`,
      () => renameSync(join(place, 'blobs'), away),
      () => renameSync(away, join(place, 'blobs')),
    ],
    [
      `${relative(place, control)} was changed`,
      () => appendFileSync(control, ' '),
      () => truncateSync(control, statSync(control).size - 1),
    ],
    [`${relative(place, key)} is not of it`, () => writeFileSync(key, ''), () => rmSync(key)],
    ['backup.json is damaged', () => truncateSync(description, 9), () => writeFileSync(description, said)],
    ['is no backup, or one that', () => rmSync(description), () => writeFileSync(description, said)],
  ] as const) {
    damage();
    const refused = restore(settingsOf({ SWITCHYARD_DATA: elsewhere }), place, progress);
    await expect(refused).rejects.toThrow(LaunchFailure);
    await expect(refused).rejects.toThrow(what);
    expect(existsSync(elsewhere)).toBe(false);
    undo();
  }

  // A kill shortly before its end leaves the same.
  const halfway = join(folder, 'halfway');
  const step: typeof progress.step = (title, work) =>
    title === 'mails' ? Promise.reject(new Error('killed')) : progress.step(title, work);
  await expect(restore(settingsOf({ SWITCHYARD_DATA: halfway }), place, { ...progress, step })).rejects.toThrow(
    'killed',
  );
  expect(() => openDataFolder(halfway)).toThrow(`a restore into ${halfway} did not end`);

  await restore(settingsOf({ SWITCHYARD_DATA: elsewhere, KAFKA_BROKERS: 'kafka:9092' }), place, progress);
  const restored = await startEmbeddedPostgres({ dataDir: join(elsewhere, 'postgres') });
  const reader = await clientOf(restored.url('postgres'));
  const { rows } = await reader.query('select number from files order by number');
  await reader.end();
  for (const { database } of owners) {
    const own = await clientOf(restored.url(database as string));
    const { rows: states } = await own.query(`
      select published_at, received_at > now() - interval '1 day' as "isNew" from events.outbox, events.inbox`);
    expect(states).toEqual([{ published_at: null, isNew: true }]);
    await own.end();
  }
  await restored.remove();
  const numbers: number[] = rows.map(({ number }) => number);
  expect(numbers.filter((number) => !existsSync(fileOf(number, elsewhere)))).toEqual([]);
  // The rows are of a moment within: none of them was there at its begin, and all of them are gone at its end.
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => (numbers[0] ?? 0) + at));
  expect(numbers[0]).toBeGreaterThan(kept);
  expect(numbers.at(-1)).toBeLessThan(made - kept);
});
