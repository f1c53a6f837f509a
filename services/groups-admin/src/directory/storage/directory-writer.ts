import { type Database, fromPrisma, refuseLateWrite, retrying, type Tx } from '@switchyard/database';
import type { Sql } from '@switchyard/database/sql';
import type { Prisma, PrismaClient } from '../../generated/prisma/client';
import { type DirectoryTx, recorded } from './recorded';
import { recordedClient } from './recorded-client';

/**
 * Runs `work` in one transaction; after a deadlock it runs again from its start, so it must not have effects outside
 * the transaction.
 */
export type Transact = <T>(work: (tx: DirectoryTx) => Promise<T>) => Promise<T>;

/** The transactions of this service, which record what they change in the directory. */
export interface DirectoryWriter {
  readonly transaction: Transact;
  /** As `transaction`, shared by Prisma's client and hand-written SQL. */
  prismaTransaction<T>(work: (client: Prisma.TransactionClient, tx: DirectoryTx) => Promise<T>): Promise<T>;
}

/** Milliseconds: a transaction of Prisma's client waits for a connection, and runs, no longer. */
const limits = { maxWait: 5_000, timeout: 15_000 };

/** The writer over PostgreSQL; `prisma` shares the pool of `db`. */
export function directoryWriter(db: Database, prisma: PrismaClient): DirectoryWriter {
  return {
    transaction: (work) => db.transaction((tx) => recorded(tx, work)),

    prismaTransaction: (work) =>
      retrying(async () => {
        const callbacks: (() => void)[] = [];
        const result = await prisma.$transaction(async (client) => {
          const executor = fromPrisma(client);
          const tx: Tx = {
            query: executor.query,
            one: async <R>(query: Sql) => (await executor.query<R>(query))[0],
            afterCommit: (callback) => callbacks.push(callback),
            notify: (channel) => callbacks.push(() => db.notices.notify(channel)),
          };
          const done = await recorded(tx, (recording) => work(recordedClient(client, recording), recording));
          refuseLateWrite();
          return done;
        }, limits);
        for (const callback of callbacks) callback();
        return result;
      }),
  };
}
