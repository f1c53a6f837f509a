import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { type JobHandlers, startJobs } from '../../src/jobs/application/work-jobs';
import type { JobRequest } from '../../src/jobs/domain/job';
import { enqueueJobs, jobStore } from '../../src/jobs/storage/job.store';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await testDatabase({
    sets: service.migrationSets,
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
  const store = jobStore(db, 5);
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

test('a job that was not requested again is deleted when it is done', async () => {
  const store = jobStore(db, 5);
  await store.enqueue([request]);
  const [job] = await store.claim(1);
  await store.finish(job!);
  expect(await db.query(sql`select id from jobs`)).toEqual([]);
});

test('jobs of some kinds are taken past the others, each once', async () => {
  const store = jobStore(db, 5);
  const train = { kind: 'merge_train', trainId: 3 } as const;
  await store.enqueue([request]);
  await store.enqueue([train]);
  expect(await store.claim(5, ['merge_train', 'settle_merge'])).toMatchObject([{ request: train }]);
  expect(await store.claim(5, ['merge_train', 'settle_merge'])).toEqual([]);
  expect(await store.claim(5)).toMatchObject([{ request }]);
});

test('a landing does not wait for long work of other kinds, and long work does not wait for itself', async () => {
  const done: JobRequest[] = [];
  const begun: JobRequest[] = [];
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const long = async (job: JobRequest): Promise<void> => {
    begun.push(job);
    await held;
    done.push(job);
  };
  const short = async (job: JobRequest): Promise<void> => {
    done.push(job);
  };
  const handlers: JobHandlers = {
    mergeability: long,
    rebase: long,
    auto_merge: short,
    settle_merge: short,
    merge_train: short,
    train_ref: short,
    recheck: long,
  };
  const store = jobStore(db, 5);
  const workers = startJobs(store, handlers, 5);
  const asleep = store.onJobs(() => workers.wake());
  try {
    await store.enqueue([1, 2, 3, 4].map((projectId) => ({ kind: 'mergeability', projectId }) as const));
    await eventually(() => expect(begun).toHaveLength(2));
    const landing: JobRequest[] = [
      { kind: 'merge_train', trainId: 1 },
      { kind: 'settle_merge', mergeRequestId: 1 },
    ];
    await store.enqueue(landing);
    await eventually(() => expect(done).toEqual(expect.arrayContaining(landing)));
    expect([begun.length, done.length]).toEqual([2, 2]);
    letGo();
    await eventually(() => expect(done).toHaveLength(6));
  } finally {
    letGo();
    asleep();
    await workers.close();
  }
});

test('sleeping workers take a job when it becomes due, and one that another process commits at once', async () => {
  const done: JobRequest[] = [];
  const take = async (job: JobRequest): Promise<void> => {
    done.push(job);
  };
  const kinds = ['mergeability', 'rebase', 'auto_merge', 'settle_merge', 'merge_train', 'train_ref', 'recheck'];
  const handlers = Object.fromEntries(kinds.map((kind) => [kind, take])) as unknown as JobHandlers;
  const other = openDatabase({ url: database.url, applicationName: 'other process' });
  const store = jobStore(db, 5);
  const workers = startJobs(store, handlers, 5);
  const asleep = store.onJobs(() => workers.wake());
  try {
    const asked = Date.now();
    await jobStore(other, 5).enqueue([{ kind: 'mergeability', projectId: 1 }]);
    await eventually(() => expect(done).toHaveLength(1));
    await store.enqueue([{ kind: 'mergeability', projectId: 2 }], 0.7);
    await eventually(() => expect(done).toHaveLength(2));
    expect(Date.now() - asked).toBeGreaterThan(650);
    expect(Date.now() - asked).toBeLessThan(4_000);
  } finally {
    asleep();
    await workers.close();
    await other.close();
  }
});
