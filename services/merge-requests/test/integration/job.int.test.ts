import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase, sql } from '@switchyard/database';
import { directoryMigrations } from '@switchyard/directory';
import { eventMigrations } from '@switchyard/events';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { enqueueJobs, jobStore } from '../../src/storage/job.store';

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await testDatabase({
    sets: [
      { schema: 'public', directory: join(__dirname, '../../prisma/migrations') },
      eventMigrations,
      directoryMigrations,
    ],
  });
  db = openDatabase({ url: database.url, applicationName: 'job test' });
});
beforeEach(() => db.query(sql`truncate jobs`));
afterAll(async () => {
  await db?.close();
  await database?.close();
});

const request = { kind: 'mergeability', projectId: 1 } as const;

test('a job that is asked for while it is being finished is due at once', async () => {
  const store = jobStore(db);
  await store.enqueue([request]);
  const [job] = await store.claim(1);
  let finished: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await enqueueJobs(tx, [request]);
    // Waits for the row that the request holds, and sees it when the request has committed.
    finished = store.finish(job!);
    await sleep(200);
  });
  await finished;
  expect(await store.claim(1)).toMatchObject([{ id: job!.id, request }]);
});

test('a job that nobody asked for again is forgotten when it is done', async () => {
  const store = jobStore(db);
  await store.enqueue([request]);
  const [job] = await store.claim(1);
  await store.finish(job!);
  expect(await db.query(sql`select id from jobs`)).toEqual([]);
});
