import { type Database, unguarded } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { EncryptedTable, Keyring } from '@switchyard/secrets';
import type { KeptAnswer, KeyedRequest, KeyLimits, KnownRequest, TakenKey } from '../domain/keyed-request';

const identityOf = (attempt: string): string => `idempotency_keys:${attempt}`;

const pack = ({ status, contentType, body }: KeptAnswer): string =>
  JSON.stringify([status, contentType, body.toString('base64')]);

function unpack(text: string): KeptAnswer {
  const [status, contentType, body] = JSON.parse(text) as [number, string, string];
  return { status, contentType, body: Buffer.from(body, 'base64') };
}

const msFromNow = (count: number) => sql`now() + make_interval(secs => ${count / 1_000}::float8)`;

/** Opens the store; answers are encrypted, for some hold tokens that are shown once (D7). */
export const idempotencyStore = (db: Database, ring: Keyring) => ({
  async begin(
    { caller, key, fingerprint, attempt }: KeyedRequest,
    { runningMs, keptMs, most, mostBytes }: KeyLimits,
  ): Promise<TakenKey | 'taken' | 'too_many'> {
    // To take a key, or to be refused one, begins nothing.
    const [row] = await unguarded(() =>
      db.query<{ until: string | null; many: boolean }>(sql`
      with own as (
        select count(*) >= ${most} or coalesce(sum(octet_length(answer)), 0) >= ${mostBytes} as many from (
          select answer from idempotency_keys where caller = ${caller} and expires_at > now() limit ${most}) as counted),
      begun as (
        insert into idempotency_keys as k (caller, key, fingerprint, attempt, running_until, expires_at)
        select ${caller}, ${key}, ${fingerprint}, ${attempt}::uuid, ${msFromNow(runningMs)}, ${msFromNow(keptMs)}
        from own where not many
        on conflict (caller, key) do update set fingerprint = excluded.fingerprint, attempt = excluded.attempt,
          state = 'running', running_until = excluded.running_until, expires_at = excluded.expires_at, answer = null
        where k.expires_at <= now()
        returning running_until)
      select (select running_until::text from begun) as until, many from own`),
    );
    if (row?.until != null) return { attempt, until: row.until };
    return row?.many === true ? 'too_many' : 'taken';
  },

  async withdraw({ attempt, until }: TakenKey): Promise<void> {
    // Nobody waits for it, which would have it refused.
    await unguarded(() =>
      db.query(sql`
      delete from idempotency_keys
      where attempt = ${attempt}::uuid and state = 'running' and running_until = ${until}::timestamptz`),
    );
  },

  async find({ caller, key }: Pick<KeyedRequest, 'caller' | 'key'>): Promise<KnownRequest | undefined> {
    const row = await db.one<{
      fingerprint: Buffer;
      attempt: string;
      state: 'running' | 'answered' | 'unknown';
      late: boolean;
      answer: Buffer | null;
    }>(sql`
      select fingerprint, attempt::text, state, running_until <= now() as late, answer from idempotency_keys
      where caller = ${caller} and key = ${key} and expires_at > now()`);
    if (row === undefined) return undefined;
    return {
      attempt: row.attempt,
      fingerprint: row.fingerprint,
      state: row.state === 'running' && row.late ? 'unknown' : row.state,
      answer: row.answer === null ? undefined : unpack(ring.decrypt(identityOf(row.attempt), row.answer)),
    };
  },

  async finish(attempt: string, end: KeptAnswer | 'not_begun' | 'unknown'): Promise<void> {
    const running = sql`attempt = ${attempt}::uuid and state = 'running'`;
    if (end === 'not_begun') await db.query(sql`delete from idempotency_keys where ${running}`);
    else if (end === 'unknown') await db.query(sql`update idempotency_keys set state = 'unknown' where ${running}`);
    else
      await db.query(sql`
        update idempotency_keys set state = 'answered', answer = ${ring.encrypt(identityOf(attempt), pack(end))}
        where ${running}`);
  },

  async renew(attempt: string, runningMs: number): Promise<boolean> {
    const rows = await db.query(sql`
      update idempotency_keys set running_until = ${msFromNow(runningMs)}
      where attempt = ${attempt}::uuid and state = 'running' returning 1`);
    return rows.length > 0;
  },

  async prune(limit: number): Promise<number> {
    const rows = await db.query(sql`
      delete from idempotency_keys where id in (
        select id from idempotency_keys where expires_at <= now() order by expires_at limit ${limit} for update skip locked)
      returning 1`);
    return rows.length;
  },
});

/** Kept answers as a rotation of keys sees them (D7). */
export const keptAnswers = (db: Database): EncryptedTable => ({
  name: 'idempotency_keys',

  async staleAfter(id, keyId, limit) {
    const rows = await db.query<{ id: number; attempt: string; answer: Buffer }>(sql`
      select id, attempt::text, answer from idempotency_keys
      where id > ${id} and answer is not null and substring(answer from 2 for 4) <> ${keyId} order by id limit ${limit}`);
    return rows.map((row) => ({ id: row.id, identity: identityOf(row.attempt), stored: row.answer }));
  },

  replace: async ({ id, stored }, sealed) =>
    (await db.one(
      sql`update idempotency_keys set answer = ${sealed} where id = ${id} and answer = ${stored} returning id`,
    )) !== undefined,
});
