import { execFileSync } from 'node:child_process';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { openRepository, openWiki } from '../../src/git';
import { packRepository } from '../../src/repositories/application/pack-repository';
import { measureRepository } from '../../src/repository-sizes/application/measure-repository';
import { repositorySizeStore } from '../../src/repository-sizes/storage/repository-size.store';
import { service } from '../../src/service';
import { Workshop } from '../git/support/workshop';

let database: TestDatabase;
let db: Database;
let shop: Workshop;
const projectId = 42;

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'repository size test' });
  shop = await Workshop.open();
});
afterAll(async () => {
  shop.close();
  await db.close();
  await database.close();
});
beforeEach(async () => {
  await db.query(sql`truncate repositories, jobs, events.outbox`);
  await db.query(
    sql`insert into repositories (project_id, state, default_branch) values (${projectId}, 'created', 'main')`,
  );
});

const sizes = () => repositorySizeStore(db);
let toPack: number[] = [];
const measure = (repositoryOf = async () => shop.repo) =>
  measureRepository({
    pack: async (id) => {
      toPack.push(id);
    },
    sizes: sizes(),
    repositoryOf: async (_, kind) => (kind === 'wiki' ? openWiki(shop.root, projectId) : repositoryOf()),
  })(projectId);
const published = async () =>
  (await db.query<{ body: Record<string, string> }>(sql`select body from events.outbox order by id`)).map(
    ({ body: { size, commitCount = 0, version } }) =>
      [Number(size ?? 0), Number(commitCount), Number(version)] as const,
  );
const push = (text: string, ...options: string[]) => {
  shop.git('commit', '--quiet', '--allow-empty', '-m', text, ...options);
  shop.git('push', '--quiet', '--force', 'origin', 'HEAD:main');
};

test('bytes and commits are published with a version that grows, also where nothing changed', async () => {
  push('one');
  push('two');
  await measure();
  await measure();
  push('three');
  await measure();
  const [first, again, third] = await published();
  expect(first?.[0]).toBeGreaterThan(0);
  expect([first?.[1], again?.[1], third?.[1]]).toEqual([2, 2, 3]);
  expect(third?.[0]).toBeGreaterThan(first?.[0] ?? 0);
  expect(again?.[2]).toBeGreaterThan(first?.[2] ?? 0);
  expect(third?.[2]).toBeGreaterThan(again?.[2] ?? 0);
});

test('a rewritten branch is counted from its beginning, and one that is missing is empty', async () => {
  push('more');
  await measure();
  push('rewritten', '--amend');
  shop.git('reset', '--quiet', '--hard', 'HEAD~2');
  push('other');
  await measure();
  await db.query(sql`update repositories set default_branch = 'none'`);
  await measure();
  await measure(async () => openRepository(shop.root, 7));
  const counts = (await published()).map(([size, commits]) => [size > 0, commits]);
  expect(counts).toEqual([
    [true, 4],
    [true, 3],
    [true, 0],
    [false, 0],
  ]);
});

test('what came in more than 20 packs is packed into fewer, but for the time of a backup', async () => {
  const count = () =>
    Number(
      /^packs: (\d+)$/m.exec(
        execFileSync('git', ['-C', shop.repo.path, 'count-objects', '-v'], { encoding: 'utf8' }),
      )?.[1],
    );
  let backup = true;
  const pack = packRepository({
    repositoryOf: async (_, kind) => (kind === 'wiki' ? openWiki(shop.root, projectId) : shop.repo),
    isBackupRunning: async () => backup,
  });
  toPack = [];
  for (let at = 0; at < 21; at += 1) {
    push(`pack ${at}`);
    execFileSync('git', ['-C', shop.repo.path, 'repack', '-q', '-d']);
    if (at === 19) await measure();
  }
  expect([toPack, count() > 20]).toEqual([[], true]);
  await measure();
  expect(toPack).toEqual([projectId]);
  await expect(pack({ projectId })).rejects.toMatchObject({ kind: 'unavailable' });
  backup = false;
  await pack({ projectId });
  expect(count()).toBeLessThan(5);
  toPack = [];
  await measure();
  expect(toPack).toEqual([]);
});

test('what is due is requested once, and again in a day', async () => {
  await db.query(sql`update repositories set measure_at = now() - interval '1 second'`);
  await Promise.all([sizes().enqueueDue(), sizes().enqueueDue()]);
  await sizes().enqueueDue();
  expect(await db.query(sql`select kind, key, generation from jobs`)).toEqual([
    { kind: 'repository_size', key: String(projectId), generation: 1 },
  ]);
  expect(await db.query(sql`select measure_at > now() + interval '23 hours' as later from repositories`)).toEqual([
    { later: true },
  ]);
});

test('a purged project is measured without effect', async () => {
  await db.query(sql`delete from repositories`);
  await measure();
  expect(await published()).toEqual([]);
});
