import {
  afterWrite,
  beforeWrite,
  databaseError,
  fromPrisma,
  retrying,
  type Sql,
  sql,
  type Tx,
} from '@switchyard/database';
import type { Prisma, PrismaClient } from '../../generated/prisma/client';

/**
 * Runs `work` in one transaction that Prisma's client and hand-written SQL share. After a deadlock `work` runs again from its start,
 * so it must not have effects outside the transaction.
 */
export const prismaTransaction = <T>(
  prisma: PrismaClient,
  work: (client: Prisma.TransactionClient, tx: Tx) => Promise<T>,
): Promise<T> =>
  retrying(async () => {
    const callbacks: (() => void)[] = [];
    const result = await prisma.$transaction(
      async (client) => {
        const executor = fromPrisma(client);
        const tx: Tx = {
          query: executor.query,
          one: async <R>(query: Sql) => (await executor.query<R>(query))[0],
          afterCommit: (callback) => callbacks.push(callback),
          notify: (channel) =>
            callbacks.push(
              () => void prisma.$queryRaw(sql`select pg_notify(${channel}, '')::text`).catch(() => undefined),
            ),
        };
        const done = await work(client, tx);
        beforeWrite();
        return done;
      },
      { maxWait: 5_000, timeout: 15_000 },
    );
    afterWrite();
    for (const callback of callbacks) callback();
    return result;
  });

/** Runs one statement of Prisma's client; a database that is away is `unavailable`, as through libs/database. */
export async function prismaStatement<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    throw databaseError(error);
  }
}
