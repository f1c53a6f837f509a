import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { type JobHandlers, type JobOutcome, startJobs } from '../../src/jobs/application/work-jobs';
import type { JobRequest } from '../../src/jobs/domain/job';
import { enqueueJobs, jobStore } from '../../src/jobs/storage/job.store';
import { service } from '../../src/service';
import { insertProject } from '../component/repository-harness';

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

test('a process takes the jobs of its storages, of forks that are to be made there, and of no repository', async () => {
  const [here, there] = [jobStore(db, 5, ['first']), jobStore(db, 5, ['second', 'third'])];
  await db.query(sql`
    insert into repositories (project_id, default_branch, storage) values (11, 'main', 'first'), (12, 'main', 'second')`);
  await insertProject(db, 13, { origin: { id: 12 } });
  await here.enqueue([
    { kind: 'mergeability', projectId: 11 },
    { kind: 'mergeability', projectId: 12 },
    { kind: 'copy_repository', projectId: 13 },
  ]);
  const claimed = async (store: typeof here) => (await store.claim(9)).map(({ request: { kind } }) => kind);
  expect([await claimed(here), await here.dueIn()]).toEqual([['mergeability'], expect.any(Number)]);
  expect(await claimed(here)).toEqual([]);
  expect((await claimed(there)).sort()).toEqual(['copy_repository', 'mergeability']);
  await db.query(sql`truncate jobs`);
  await there.enqueue([{ kind: 'mergeability', projectId: 12 }]);
  expect([await here.dueIn(), await there.dueIn()]).toEqual([undefined, expect.any(Number)]);
  await db.query(sql`truncate jobs`);
  for (const store of [here, there]) {
    await store.enqueue([{ kind: 'delete_authored', userId: 1 }]);
    expect(await claimed(store)).toEqual(['delete_authored']);
    await db.query(sql`truncate jobs`);
  }
});

test('jobs of some kinds are taken past the others, each once', async () => {
  const store = jobStore(db, 5);
  const train = { kind: 'merge_train', trainId: 3 } as const;
  await store.enqueue([request]);
  await store.enqueue([train]);
  const landings = { kinds: ['merge_train', 'settle_merge'], ofProject: 9 } as const;
  expect(await store.claim(5, landings)).toMatchObject([{ request: train }]);
  expect(await store.claim(5, landings)).toEqual([]);
  expect(await store.claim(5)).toMatchObject([{ request }]);
});

test('a landing and a copy do not wait for long work of other kinds, and long work does not wait for itself', async () => {
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
    remove_former_copy: short,
    pack_repository: short,
    delete_authored: short,
    recheck: long,
    merge_request_facts: long,
    repository_size: long,
    follow_sources: long,
    follow_source: long,
    push_options: long,
    copy_repository: short,
  };
  const store = jobStore(db, 5);
  const workers = startJobs(store, handlers, 5);
  const asleep = store.onJobs(() => workers.wake());
  try {
    await store.enqueue([1, 2, 3, 4].map((projectId) => ({ kind: 'mergeability', projectId }) as const));
    await eventually(() => expect(begun).toHaveLength(3));
    const others: JobRequest[] = [
      { kind: 'merge_train', trainId: 1 },
      { kind: 'settle_merge', mergeRequestId: 1 },
      { kind: 'copy_repository', projectId: 1 },
    ];
    await store.enqueue(others);
    await eventually(() => expect(done).toEqual(expect.arrayContaining(others)));
    expect([begun.length, done.length]).toEqual([3, 3]);
    letGo();
    await eventually(() => expect(done).toHaveLength(7));
  } finally {
    letGo();
    asleep();
    await workers.close();
  }
});

/** Workers whose train jobs end when they are let; `begun` and `held` by train. */
async function withTrains(
  work: (given: {
    store: ReturnType<typeof jobStore>;
    /** A train of a project. */
    train(projectId: number, branch: string): Promise<number>;
    begun: number[];
    letGo(trainId: number, outcome?: JobOutcome): void;
  }) => Promise<void>,
): Promise<void> {
  const begun: number[] = [];
  const held = new Map<number, (outcome: JobOutcome) => void>();
  let closing = false;
  const none = async (): Promise<void> => undefined;
  const handlers: JobHandlers = {
    mergeability: none,
    rebase: none,
    remove_former_copy: none,
    pack_repository: none,
    auto_merge: none,
    settle_merge: none,
    train_ref: none,
    delete_authored: none,
    recheck: none,
    merge_request_facts: none,
    repository_size: none,
    follow_sources: none,
    follow_source: none,
    push_options: none,
    copy_repository: none,
    merge_train: ({ trainId }) =>
      new Promise((resolve) => {
        begun.push(trainId);
        if (closing) resolve();
        else held.set(trainId, resolve);
      }),
  };
  const store = jobStore(db, 5);
  const workers = startJobs(store, handlers, 5);
  const asleep = store.onJobs(() => workers.wake());
  const letGo = (trainId: number, outcome?: JobOutcome): void => {
    held.get(trainId)?.(outcome);
    held.delete(trainId);
  };
  try {
    await work({
      store,
      begun,
      letGo,
      train: async (projectId, branch) => {
        const row = await db.one<{ id: number }>(sql`
          insert into merge_trains (project_id, target_branch) values (${projectId}, ${branch}) returning id`);
        return row!.id;
      },
    });
  } finally {
    closing = true;
    for (const trainId of held.keys()) letGo(trainId);
    asleep();
    await workers.close();
  }
}

const trainJobs = (ids: readonly number[]): JobRequest[] => ids.map((trainId) => ({ kind: 'merge_train', trainId }));

test('the long work of the trains of one project delays the train of no other project', () =>
  withTrains(async ({ store, train, begun, letGo }) => {
    const busy: number[] = [];
    for (let at = 0; at < 6; at += 1) busy.push(await train(71, `branch-${at}`));
    const others = [await train(72, 'main'), await train(73, 'main')];
    await store.enqueue(trainJobs(busy));
    await eventually(() => expect(begun).toHaveLength(2));
    await store.enqueue(trainJobs(others));
    await eventually(() => expect(begun).toEqual(expect.arrayContaining(others)));
    expect(begun).toHaveLength(4);
    // A place that becomes free goes to its own next train again.
    letGo(begun[0]!);
    await eventually(() => expect(begun).toHaveLength(5));
    expect(busy).toContain(begun[4]);
  }));

test('a project that has a job in hand yields to one that has none, which asked later', () =>
  withTrains(async ({ store, train, begun, letGo }) => {
    const first = [await train(81, 'a'), await train(81, 'b')];
    const second = [await train(82, 'a'), await train(82, 'b')];
    await store.enqueue(trainJobs(first));
    await eventually(() => expect(begun).toHaveLength(2));
    await store.enqueue(trainJobs(second));
    await eventually(() => expect(begun).toHaveLength(4));
    const [third, late, later] = [await train(81, 'c'), await train(83, 'a'), await train(84, 'a')];
    await store.enqueue(trainJobs([third]));
    await sleep(20);
    await store.enqueue(trainJobs([late]));
    await sleep(20);
    await store.enqueue(trainJobs([later]));
    letGo(first[0]!);
    await eventually(() => expect(begun).toHaveLength(5));
    expect(begun[4]).toBe(late);
    letGo(first[1]!);
    await eventually(() => expect(begun).toHaveLength(6));
    expect([third, later]).toContain(begun[5]);
  }));

test('work that is not done lets what is due already have its turn, and then goes on', () =>
  withTrains(async ({ store, train, begun, letGo }) => {
    const ids: number[] = [];
    for (let project = 91; project < 96; project += 1) ids.push(await train(project, 'main'));
    await store.enqueue(trainJobs(ids.slice(0, 4)));
    await eventually(() => expect(begun).toHaveLength(4));
    await store.enqueue(trainJobs(ids.slice(4)));
    letGo(ids[0]!, 'again');
    await eventually(() => expect(begun).toHaveLength(5));
    expect(begun[4]).toBe(ids[4]);
    letGo(ids[4]!);
    await eventually(() => expect(begun).toHaveLength(6));
    expect(begun[5]).toBe(ids[0]);
    letGo(ids[0]!);
    await eventually(async () =>
      expect(await db.query(sql`select id from jobs where key = any(${[ids[0], ids[4]].map(String)}::text[])`)).toEqual(
        [],
      ),
    );
  }));

test('every kind of job knows its project', async () => {
  const store = jobStore(db, 5);
  const trainOf = await db.one<{ id: number }>(sql`
    insert into merge_trains (project_id, target_branch) values (61, 'main') returning id`);
  const mr = await db.one<{ id: number }>(sql`
    insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title)
    values (1, 61, 61, 'b', 'main', 1, 't') returning id`);
  const mergeRequestId = mr!.id;
  await store.enqueue([
    { kind: 'mergeability', projectId: 61 },
    { kind: 'repository_size', projectId: 61 },
    { kind: 'recheck', projectId: 61, targetBranch: 'release:1' },
    { kind: 'train_ref', projectId: 61, iid: 1 },
    { kind: 'merge_train', trainId: trainOf!.id },
    { kind: 'auto_merge', mergeRequestId },
    { kind: 'rebase', mergeRequestId, actorId: 1, skipCi: false },
    { kind: 'settle_merge', mergeRequestId },
    { kind: 'settle_merge', mergeRequestId: mergeRequestId + 1_000 },
  ]);
  const rows = await db.query<{ project_id: number | null }>(sql`select project_id from jobs order by project_id`);
  expect(rows.map((row) => row.project_id)).toEqual([61, 61, 61, 61, 61, 61, 61, 61, null]);
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
