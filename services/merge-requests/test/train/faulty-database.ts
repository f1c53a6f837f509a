import type { Database, Tx } from '@switchyard/database';
import type { Sql } from '@switchyard/database/sql';

/** The process is gone: whatever it does next fails. */
export class CrashError extends Error {}

/** What goes wrong, counted over what one process asks of its database. */
export type Fault =
  | { readonly kind: 'none' }
  /** Dies before its statement number `at`. */
  | { readonly kind: 'crashes'; readonly at: number }
  /** Dies when transaction number `at` has committed. */
  | { readonly kind: 'crashes committed'; readonly at: number }
  /** Stands still before its statement number `at`, outside of any transaction, while something else happens. */
  | { readonly kind: 'waits'; readonly at: number; readonly meanwhile: () => Promise<void> };

/** The database as a process sees it to which `fault` happens. After a crash it stays unavailable. */
export function faultyDatabase(db: Database, fault: Fault): Database {
  let crashed = false;
  let statements = 0;
  let commits = 0;
  let waited = false;
  const step = async (within: boolean): Promise<void> => {
    if (crashed) throw new CrashError();
    statements += 1;
    if (fault.kind === 'crashes' && statements >= fault.at) {
      crashed = true;
      throw new CrashError();
    }
    if (fault.kind === 'waits' && !within && !waited && statements >= fault.at) {
      waited = true;
      await fault.meanwhile();
    }
  };
  const faultyTx = (tx: Tx): Tx => ({
    query: async <T>(query: Sql) => {
      await step(true);
      return tx.query<T>(query);
    },
    one: async <T>(query: Sql) => {
      await step(true);
      return tx.one<T>(query);
    },
    afterCommit: (callback) => tx.afterCommit(callback),
    notify: (channel, payload) => tx.notify(channel, payload),
  });
  return {
    pool: db.pool,
    notices: db.notices,
    query: async <T>(query: Sql) => {
      await step(false);
      return db.query<T>(query);
    },
    one: async <T>(query: Sql) => {
      await step(false);
      return db.one<T>(query);
    },
    async transaction(work, options) {
      await step(false);
      const result = await db.transaction((tx) => work(faultyTx(tx)), options);
      commits += 1;
      if (fault.kind === 'crashes committed' && commits === fault.at) {
        crashed = true;
        throw new CrashError();
      }
      return result;
    },
    close: () => db.close(),
  };
}
