import { randomBytes } from 'node:crypto';
import { type Database, type MigrationSet, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { defineEvent, eventMigrations } from '../src';

export interface Counted {
  account: string;
  amount: number;
}

const message = {
  toJSON: (payload: Counted) => ({ account: payload.account, amount: payload.amount }),
  fromJSON: (json: { account?: unknown; amount?: unknown }): Counted => ({
    account: String(json.account ?? ''),
    amount: Number(json.amount ?? 0),
  }),
};

/** An event on a topic that no other test uses. */
export const countedEvent = (type = 'account.counted', stream = `test.account-${randomBytes(4).toString('hex')}`) =>
  defineEvent<Counted>({ stream, version: 1, type, message, key: ({ account }) => account });

export interface Service {
  home: TestDatabase;
  db: Database;
  close(): Promise<void>;
}

/** A service's database with outbox and inbox, and a table `effects` for what handlers write. */
export async function openService(more: MigrationSet[] = []): Promise<Service> {
  const home = await testDatabase({ sets: [eventMigrations, ...more] });
  const db = openDatabase({ url: home.url, applicationName: 'test', poolSize: 10 });
  await db.query(
    sql`create table if not exists effects (id bigint generated always as identity, account text, amount int)`,
  );
  return {
    home,
    db,
    async close() {
      await db.close();
      await home.close();
    },
  };
}

export const amounts = async (db: Database): Promise<number[]> =>
  (await db.query<{ amount: number }>(sql`select amount from effects order by id`)).map((row) => row.amount);
