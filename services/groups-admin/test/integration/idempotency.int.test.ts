import { createHmac, randomUUID } from 'node:crypto';
import { type Database, guardWrites, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { unavailable } from '@switchyard/errors';
import { deriveKey, keyring } from '@switchyard/secrets';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { type KeyedRequests, keyedRequests } from '../../src/idempotency/application/keyed-requests';
import type { TakenKey } from '../../src/idempotency/domain/keyed-request';
import { idempotencyStore } from '../../src/idempotency/storage/idempotency.store';
import { service } from '../../src/service';

let server: TestDatabase;
let db: Database;
let requests: KeyedRequests;

beforeAll(async () => {
  server = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: server.url, applicationName: 'test' });
  const seal = (fingerprint: Buffer) => createHmac('sha256', 'key').update(fingerprint).digest();
  requests = keyedRequests(idempotencyStore(db, keyring([deriveKey('material', 'test')])), seal);
});
afterAll(async () => {
  await db.close();
  await server.close();
});
beforeEach(() => db.query(sql`truncate idempotency_keys`));

const requestOf = (given: Partial<Parameters<KeyedRequests['begin']>[0]> = {}) => ({
  caller: 'user:7',
  key: 'k',
  fingerprint: Buffer.alloc(32, 1),
  attempt: randomUUID(),
  ...given,
});
const here = new AbortController().signal;
const begin = (given: Parameters<typeof requestOf>[0] = {}, gone = here) =>
  requests.begin(requestOf(given), false, gone);
const answer = { status: 201, contentType: 'application/json', body: Buffer.from('{"token":"glpat-shown-once"}') };

it('lets one of many through, and gives the others its answer, which is encrypted', async () => {
  const attempts = Array.from({ length: 12 }, () => randomUUID());
  const begun = await Promise.all(attempts.map((attempt) => begin({ attempt })));
  const first = begun.findIndex(({ outcome }) => outcome === 'first');
  expect(begun.filter(({ outcome }) => outcome === 'running')).toHaveLength(11);
  // Asked once more, because its answer was lost.
  expect(await begin({ attempt: attempts[first] })).toEqual({ outcome: 'first' });
  await requests.finish(attempts[first] as string, answer);
  expect(await begin()).toEqual({ outcome: 'answered', answer });
  expect(await requests.begin(requestOf(), true, here)).toEqual({ outcome: 'answered', answer });
  const [row] = await db.query<{ answer: Buffer; fingerprint: Buffer }>(
    sql`select answer, fingerprint from idempotency_keys`,
  );
  expect(row?.answer.toString('latin1')).not.toContain('shown-once');
  expect(row?.fingerprint).not.toEqual(requestOf().fingerprint);
  // What comes late changes nothing.
  await requests.finish(attempts[first] as string, 'not_begun');
  expect((await begin()).outcome).toBe('answered');
});

it('tells another request from the same one, and a caller from the next', async () => {
  const attempt = randomUUID();
  expect((await begin({ attempt })).outcome).toBe('first');
  expect((await begin({ fingerprint: Buffer.alloc(32, 2) })).outcome).toBe('other_request');
  expect((await begin({ caller: 'user:8', fingerprint: Buffer.alloc(32, 2) })).outcome).toBe('first');
  expect((await requests.begin(requestOf({ key: 'free' }), true, here)).outcome).toBe('none');
  await requests.finish(attempt, 'not_begun');
  expect((await begin({ fingerprint: Buffer.alloc(32, 2) })).outcome).toBe('first');
});

it('takes no key for a gateway that has gone, unless that asked once more', async () => {
  const attempt = randomUUID();
  // As a call whose caller has gone.
  const refuseLate = () => {
    throw unavailable();
  };
  const late = guardWrites({ refuseLate, noteBegun: () => undefined }, () => begin({ attempt }, AbortSignal.abort()));
  await expect(late).rejects.toMatchObject({ kind: 'unavailable' });
  expect((await begin()).outcome).toBe('first');
  await db.query(sql`truncate idempotency_keys`);
  // The call that hung takes the key; the next one goes on with it before the first one looks whether its caller is there.
  const store = idempotencyStore(db, keyring([deriveKey('material', 'test')]));
  const taken = await store.begin(requestOf({ attempt }), {
    runningMs: 120_000,
    keptMs: 120_000,
    most: 9,
    mostBytes: 9,
  });
  expect((await begin({ attempt, fingerprint: requestOf().fingerprint })).outcome).toBe('first');
  await store.withdraw(taken as TakenKey);
  expect((await begin()).outcome).not.toBe('first');
});

it('does not know what became of a request whose gateway died, until the key expires', async () => {
  await begin();
  await db.query(sql`update idempotency_keys set running_until = now() - interval '1 second'`);
  expect((await begin()).outcome).toBe('unknown');
  await db.query(sql`update idempotency_keys set expires_at = now() - interval '1 second'`);
  expect((await begin()).outcome).toBe('first');
  await db.query(sql`update idempotency_keys set expires_at = now() - interval '1 second'`);
  await requests.prune(new AbortController().signal);
  expect(await db.query(sql`select 1 from idempotency_keys`)).toEqual([]);
});

it('an upload runs for as long as its gateway says so, and no longer', async () => {
  const attempt = randomUUID();
  await begin({ attempt });
  const wait = (seconds: number) =>
    db.query(sql`update idempotency_keys set running_until = running_until - make_interval(secs => ${seconds})`);
  for (let minute = 0; minute < 3; minute += 1) {
    await wait(100);
    expect((await begin()).outcome).toBe('running');
    await requests.renew(attempt);
  }
  await wait(130);
  expect((await begin()).outcome).toBe('unknown');
  // A gateway that was cut off for a while.
  await requests.renew(attempt);
  expect((await begin()).outcome).toBe('running');
  await requests.finish(attempt, answer);
  await requests.renew(attempt);
  expect(await begin()).toEqual({ outcome: 'answered', answer });
});

it('refuses a caller who has 10,000 keys', async () => {
  await db.query(sql`
    insert into idempotency_keys (caller, key, fingerprint, attempt, running_until, expires_at)
    select 'user:7', 'k' || i, ${Buffer.alloc(32, 1)}, gen_random_uuid(), now(), now() + interval '1 hour'
    from generate_series(1, 10000) i`);
  const noteBegun = jest.fn();
  const guarded = guardWrites({ refuseLate: () => undefined, noteBegun }, () => begin());
  await expect(guarded).rejects.toMatchObject({ kind: 'rate_limited' });
  expect(noteBegun).not.toHaveBeenCalled();
  expect((await begin({ key: 'k1' })).outcome).toBe('other_request');
  expect((await begin({ caller: 'user:8' })).outcome).toBe('first');
});

it('refuses a caller whose answers take 64 MiB, until some have expired', async () => {
  await db.query(sql`
    insert into idempotency_keys (caller, key, fingerprint, attempt, state, running_until, expires_at, answer)
    select 'user:7', 'k' || i, ${Buffer.alloc(32, 1)}, gen_random_uuid(), 'answered', now(), now() + interval '1 hour',
      convert_to(repeat('x', 1 << 20), 'UTF8')
    from generate_series(1, 64) i`);
  await expect(begin()).rejects.toMatchObject({ kind: 'rate_limited' });
  expect((await begin({ caller: 'user:8' })).outcome).toBe('first');
  await db.query(sql`update idempotency_keys set expires_at = now() - interval '1 second' where key = 'k1'`);
  expect((await begin()).outcome).toBe('first');
});
