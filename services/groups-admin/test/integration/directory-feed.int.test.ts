import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { bootstrap } from '../../src/bootstrap';
import type { DirectoryWriter } from '../../src/directory';
import { type DirectoryStore, directoryFeed } from '../../src/directory/application/follow-directory';
import { directoryStore } from '../../src/directory/storage/directory.store';
import { service } from '../../src/service';
import { tokenDigest } from '../../src/tokens/application/token';
import { writerOf } from '../support/writer';

let server: TestDatabase;
let db: Database;
let store: DirectoryStore;
let writer: DirectoryWriter;
const digest = tokenDigest(Buffer.alloc(32, 42));

beforeEach(async () => {
  server = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: server.url, applicationName: 'test' });
  store = directoryStore(db);
  writer = writerOf(db);
});

afterEach(async () => {
  await db.close();
  await server.close();
});

let serial = 0;
/** Returns the sequence of the change. */
async function addUser(): Promise<number> {
  let reached = 0;
  await writer.transaction(async (tx) => {
    serial += 1;
    const name = `user${serial}`;
    await tx.write(
      'user',
      sql`insert into users (username, name, email) values (${name}, ${name}, ${`${name}@example.com`}) returning id`,
    );
    tx.withSequence(async (sequence) => {
      reached = sequence;
    });
  });
  return reached;
}

/** A change as another process commits it: it says so by a notice alone. */
async function addUserAsReplica(other: Database): Promise<void> {
  await other.query(sql`
    with moved as (update directory_sequence set value = value + 1 returning value)
    insert into directory_changes (sequence, entity, entity_id, row, deleted)
    select value, 'user', 1, ''::bytea, true from moved`);
  other.notices.notify('switchyard_directory');
}

test('a snapshot is of one sequence, whatever is written in the meantime', async () => {
  for (let at = 0; at < 5; at += 1) await addUser();
  const seen: number[] = [];
  let sequence = 0;
  for await (const batch of store.snapshot()) {
    if (sequence === 0) await addUser();
    sequence = batch.sequence;
    for (const { entity } of batch.rows) seen.push(entity?.value.id ?? 0);
  }
  expect(sequence).toBe(5);
  expect(seen).toHaveLength(5);
  expect((await store.readChanges(sequence, 10)).changes).toHaveLength(1);
});

test('a snapshot that no one finishes releases its connection', async () => {
  await addUser();
  for (let at = 0; at < 15; at += 1) {
    for await (const _batch of store.snapshot()) break;
  }
  expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
});

test('old changes are pruned, and a reader that is before them learns it', async () => {
  for (let at = 0; at < 6; at += 1) await addUser();
  await db.query(sql`update directory_changes set created_at = now() - interval '8 days' where sequence <= 4`);
  expect(await store.prune(7)).toBe(4);
  await expect(store.readChanges(3, 10)).rejects.toMatchObject({ kind: 'gone' });
  const { changes, head } = await store.readChanges(4, 10);
  expect(changes.map(({ sequence }) => sequence)).toEqual([5, 6]);
  expect(head).toBe(6);
  expect(await store.prune(7)).toBe(0);
});

test('a wait ends with the change, with the time, or with the process', async () => {
  const head = await addUser();
  const feed = directoryFeed(store, db.notices);
  const never = new AbortController().signal;
  const waiting = feed.readChanges(head, 10, 20_000, never);
  await addUser();
  expect((await waiting).changes).toHaveLength(1);
  expect((await feed.readChanges(head + 1, 10, 30, never)).changes).toEqual([]);
  expect((await feed.readChanges(head + 100, 10, 20_000, never)).head).toBe(head + 1);
  const drained = feed.readChanges(head + 1, 10, 20_000, never);
  feed.drain();
  expect((await drained).changes).toEqual([]);
});

test('a wait ends with a change that another replica commits', async () => {
  const head = await addUser();
  const feed = directoryFeed(store, db.notices);
  const other = openDatabase({ url: server.url, applicationName: 'other' });
  const began = new Promise<void>((resolve) => db.notices.listen('switchyard_directory', () => resolve()));
  const waiting = feed.readChanges(head, 10, 20_000, new AbortController().signal);
  await began;
  await addUserAsReplica(other);
  const asked = Date.now();
  expect((await waiting).changes).toHaveLength(1);
  expect(Date.now() - asked).toBeLessThan(3_000);
  feed.drain();
  await other.close();
});

test('another root token at the next start takes the place of the old one; the same one is left alone', async () => {
  const live = async () =>
    (await db.query<{ revoked: boolean }>(sql`select revoked from personal_access_tokens order by id`)).map(
      ({ revoked }) => revoked,
    );
  await Promise.all([
    bootstrap(writer.transaction, digest, 'the first token of root'),
    bootstrap(writer.transaction, digest, 'the first token of root'),
  ]);
  expect(await live()).toEqual([false]);
  await bootstrap(writer.transaction, digest, 'the second token of root');
  expect(await live()).toEqual([true, false]);
  // As after a rollback, or while replicas of two configurations start.
  await bootstrap(writer.transaction, digest, 'the first token of root');
  expect(await live()).toEqual([false, true]);
  await bootstrap(writer.transaction, digest, 'the second token of root');
  expect(await live()).toEqual([true, false]);
  await db.query(sql`update personal_access_tokens set revoked = true`);
  await bootstrap(writer.transaction, digest, 'the second token of root');
  expect(await live()).toEqual([true, true]);
  const users = await db.query(sql`select id, username, admin, user_type from users order by id`);
  expect(users).toEqual([
    { id: 1, username: 'root', admin: true, user_type: 'human' },
    { id: 2, username: 'ghost', admin: false, user_type: 'ghost' },
    { id: 3, username: 'alert-bot', admin: false, user_type: 'alert_bot' },
  ]);
});

test('an instance that is older than the alert bot gets it at its next start, even if another user has the name', async () => {
  const somebody = await addUser();
  await db.query(sql`update users set username = 'Alert-Bot' where id = ${somebody}`);
  await Promise.all([
    bootstrap(writer.transaction, digest, undefined),
    bootstrap(writer.transaction, digest, undefined),
  ]);
  await bootstrap(writer.transaction, digest, undefined);
  const bots = await db.query<{ id: number; username: string }>(
    sql`select id, username, email from users where user_type = 'alert_bot'`,
  );
  expect(bots).toEqual([{ id: expect.any(Number), username: 'alert-bot2', email: 'alert-bot2@noreply.localhost' }]);
  const { changes } = await store.readChanges(0, 100);
  expect(
    changes.filter(({ row }) => row?.entity?.$case === 'user' && row.entity.value.kind === 'alert_bot'),
  ).toHaveLength(1);
});
