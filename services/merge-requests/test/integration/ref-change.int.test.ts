import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { instanceProtection } from '../../src/repositories/domain/default-protection';
import { type RefChange, zeroSha } from '../../src/repositories/domain/ref-change';
import { refChangeStore } from '../../src/repositories/storage/ref-change.store';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;
let store: ReturnType<typeof refChangeStore>;

beforeAll(async () => {
  database = await testDatabase({
    sets: service.migrationSets,
  });
  db = openDatabase({ url: database.url, applicationName: 'ref change test' });
  store = refChangeStore(db, 5);
});
afterAll(async () => {
  await db?.close();
  await database?.close();
});
beforeEach(() => db.query(sql`truncate ref_change_intents, repositories, protected_branches, events.outbox cascade`));

const sha = (digit: string) => digit.repeat(40);
let pushes = 0;
async function open(refs: string[], { source = 'push' as const, age = 0, projectId = 1 } = {}) {
  pushes += 1;
  const pushId = `00000000-0000-4000-8000-${String(pushes).padStart(12, '0')}`;
  const updates = refs.map((ref) => ({ ref, before: zeroSha, after: sha('a') }));
  const changes = await store.open({ pushId, projectId, actorId: 7, source, cause: undefined, updates });
  await db.query(
    sql`update ref_change_intents set created_at = now() - make_interval(secs => ${age}) where push_id = ${pushId}::uuid`,
  );
  return { pushId, changes };
}
const facts = { commitCount: 1, commitTitle: 'One', defaultBranch: true };
const states = async () =>
  (await db.query<{ state: string }>(sql`select state from ref_change_intents order by id`)).map(({ state }) => state);

test('intents keep the order of their updates and the words of their caller', async () => {
  const { changes } = await open(['refs/heads/b', 'refs/heads/a']);
  expect(changes.map(({ ref }) => ref)).toEqual(['refs/heads/b', 'refs/heads/a']);
  expect(changes[0]).toMatchObject({ projectId: 1, actorId: 7, source: 'push', cause: undefined, before: zeroSha });
  expect(changes[0]?.createdAt).toBeInstanceOf(Date);
});

test('results, events and the first default branch are committed together', async () => {
  await db.query(sql`insert into repositories (project_id, default_branch) values (1, 'main')`);
  const { pushId } = await open(['refs/heads/trunk', 'refs/heads/lost']);
  await store.settle(pushId, async (found) => ({
    settlements: found.map((change, at) => ({ change, moved: at === 0, facts })),
    newDefault: { branch: 'trunk', protection: { ...instanceProtection, pushAccessLevel: 30, allowForcePush: true } },
  }));
  expect(await states()).toEqual(['done', 'failed']);
  expect(await db.query(sql`select body->>'refName' as name from events.outbox`)).toEqual([{ name: 'trunk' }]);
  expect(
    await db.query(
      sql`select default_branch, measure_at between now() and now() + interval '5 seconds' as soon from repositories`,
    ),
  ).toEqual([{ default_branch: 'trunk', soon: true }]);
  expect(
    await db.query(sql`select name, push_access_level as push, merge_access_level as merge, allow_force_push as force
      from protected_branches`),
  ).toEqual([{ name: 'trunk', push: 30, merge: 40, force: true }]);
});

test('a settlement that throws leaves everything open', async () => {
  const { pushId } = await open(['refs/heads/a']);
  await expect(store.settle(pushId, () => Promise.reject(new Error('git died')))).rejects.toThrow('git died');
  expect(await states()).toEqual(['open']);
});

test('what the caller adds is committed with the results, or neither is', async () => {
  await db.query(sql`insert into repositories (project_id, default_branch) values (1, 'main')`);
  const all = async (found: readonly RefChange[]) => ({
    settlements: found.map((change) => ({ change, moved: true, facts })),
  });
  const failed = await open(['refs/heads/one']);
  const refused = store.settle(failed.pushId, all, async () => {
    throw new Error('no');
  });
  await expect(refused).rejects.toThrow('no');
  expect(await states()).toEqual(['open']);
  const done = await open(['refs/heads/two']);
  await store.settle(done.pushId, all, async (tx, settlements) => {
    expect(settlements).toHaveLength(1);
    await tx.query(sql`update repositories set default_branch = 'added' where project_id = 1`);
  });
  expect(await states()).toEqual(['open', 'done']);
  expect(await db.one(sql`select default_branch as name from repositories`)).toEqual({ name: 'added' });
});

test('of two first pushes at once one chooses the default branch', async () => {
  await db.query(sql`insert into repositories (project_id, default_branch) values (1, 'main')`);
  const settle = async (branch: string) => {
    const { pushId } = await open([`refs/heads/${branch}`]);
    await store.settle(pushId, async (found) => ({
      settlements: found.map((change) => ({ change, moved: true, facts })),
      newDefault: { branch, protection: instanceProtection },
    }));
  };
  await Promise.all([settle('one'), settle('two')]);
  const rules = await db.query<{ name: string }>(sql`select name from protected_branches`);
  expect(rules).toHaveLength(1);
  expect(await db.query(sql`select default_branch as name from repositories`)).toEqual(rules);
});

test('a push under way, and one that was just made, are not taken for abandoned', async () => {
  const { pushId } = await open(['refs/heads/a', 'refs/heads/b'], { age: 60 });
  await open(['refs/heads/young']);
  const never = jest.fn();
  await store.settle(pushId, async (found) => {
    expect(await store.settleAbandoned(never)).toBeUndefined();
    return { settlements: found.map((change) => ({ change, moved: true, facts })) };
  });
  expect(never).not.toHaveBeenCalled();
});

test('a push that waits for a move to end is not taken for abandoned', async () => {
  await db.query(sql`insert into repositories (project_id, default_branch) values (1, 'main')`);
  const { pushId } = await open(['refs/heads/a', 'refs/heads/b'], { age: 60 });
  let settling: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    await tx.query(sql`select 1 from repositories for update`);
    settling = store.settle(pushId, async (found, home) => {
      expect([found.length, home]).toEqual([2, { storage: 'second', former: 'default' }]);
      return { settlements: found.map((change) => ({ change, moved: true, facts })) };
    });
    await eventually(async () =>
      expect(
        await db.query(sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%for key share%'`),
      ).toHaveLength(1),
    );
    expect(await store.settleAbandoned(() => Promise.reject(new Error('it was taken')))).toBeUndefined();
    await tx.query(sql`update repositories set storage = 'second', former_storage = 'default'`);
  });
  await settling;
  expect(await states()).toEqual(['done', 'done']);
});

test('two reconcilers settle different pushes, each whole', async () => {
  await open(['refs/heads/a', 'refs/heads/b'], { age: 60 });
  await open(['refs/heads/c', 'refs/heads/d'], { age: 60, projectId: 2 });
  const seen: string[][] = [];
  const settle = () =>
    store.settleAbandoned(async (found) => {
      seen.push(found.map(({ ref }) => ref));
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { settlements: found.map((change) => ({ change, moved: false })) };
    });
  await Promise.all([settle(), settle()]);
  expect(seen.sort()).toEqual([
    ['refs/heads/a', 'refs/heads/b'],
    ['refs/heads/c', 'refs/heads/d'],
  ]);
  expect(await store.settleAbandoned(async () => ({ settlements: [] }))).toBeUndefined();
});

test('a push that cannot be settled does not keep others from it', async () => {
  await open(['refs/heads/broken'], { age: 60 });
  await open(['refs/heads/fine'], { age: 50, projectId: 2 });
  await expect(store.settleAbandoned(() => Promise.reject(new Error('no repository')))).rejects.toThrow();
  await store.settleAbandoned(async (found) => {
    expect(found.map(({ ref }) => ref)).toEqual(['refs/heads/fine']);
    return { settlements: found.map((change) => ({ change, moved: false })) };
  });
  expect(await states()).toEqual(['open', 'failed']);
  expect(await store.settleAbandoned(async () => ({ settlements: [] }))).toBeUndefined();
});

test('what was asked for later on the ref is shown to the reconciler', async () => {
  await open(['refs/heads/a'], { age: 60 });
  const later = await open(['refs/heads/a', 'refs/heads/b']);
  await store.settle(later.pushId, async (found) => ({
    settlements: found.map((change) => ({ change, moved: true, facts })),
  }));
  await store.settleAbandoned(async (found, laterOf) => {
    const [change] = found;
    if (change === undefined) throw new Error('nothing was found');
    expect(await laterOf(change)).toMatchObject([{ ref: 'refs/heads/a', done: true }]);
    return { settlements: found.map((one) => ({ change: one, moved: false })) };
  });
});

test('a moved change is published by one process at a time, again after its pause, and not again once published', async () => {
  const { pushId } = await open(['refs/heads/a']);
  await store.settle(pushId, async (found) => ({
    settlements: found.map((change) => ({ change, moved: true, facts })),
  }));
  expect(await store.claimUnpublished()).toEqual([]);
  const [{ id } = { id: 0 }] = await db.query<{ id: number }>(sql`select id from ref_change_intents`);
  await store.retryPublishing(id, 0);
  const claims = await Promise.all([store.claimUnpublished(), store.claimUnpublished()]);
  expect(claims.flat()).toMatchObject([{ id, attempts: 1 }]);
  await store.retryPublishing(id, 0);
  // The pause is kept in milliseconds, rounded: it may end half of one later.
  await eventually(async () => expect(await store.claimUnpublished()).toMatchObject([{ id, attempts: 2 }]));
  await store.retryPublishing(id, 0);
  await store.markPublished([id]);
  expect(await store.claimUnpublished()).toEqual([]);
});

test('a process takes over the changes of its storages', async () => {
  const [here, there] = [refChangeStore(db, 5, ['first']), refChangeStore(db, 5, ['second'])];
  await db.query(sql`insert into repositories (project_id, default_branch, storage) values (1, 'main', 'second')`);
  await open(['refs/heads/a'], { age: 60 });
  const settle = (store: typeof here) =>
    store.settleAbandoned(async (found) => ({
      settlements: found.map((change) => ({ change, moved: true, facts })),
    }));
  expect(await settle(here)).toBeUndefined();
  expect(await settle(there)).toHaveLength(1);
  await db.query(sql`update ref_change_intents set handle_at = now()`);
  expect(await here.claimUnpublished()).toEqual([]);
  expect(await there.claimUnpublished()).toHaveLength(1);
});

test('settled changes go after a week, open and untold ones stay', async () => {
  await open(['refs/heads/open'], { age: 60 });
  const { pushId } = await open(['refs/heads/told', 'refs/heads/untold', 'refs/heads/failed']);
  await store.settle(pushId, async (found) => ({
    settlements: found.map((change) => ({ change, moved: !change.ref.endsWith('failed'), facts })),
  }));
  await db.query(sql`update ref_change_intents set handled_at = now() where ref = 'refs/heads/told'`);
  await store.prune();
  expect(await states()).toHaveLength(4);
  await db.query(sql`update ref_change_intents set settled_at = now() - interval '8 days' where state <> 'open'`);
  await store.prune();
  const left = await db.query<{ ref: string }>(sql`select ref from ref_change_intents order by id`);
  expect(left.map(({ ref }) => ref)).toEqual(['refs/heads/open', 'refs/heads/untold']);
});
