import { databaseError, fromPrisma, isRetryable, type Sql, type Tx } from '@switchyard/database';
import type { Prisma, PrismaClient } from '../generated/prisma/client';

/** How often the whole function runs again after a deadlock or serialization failure. */
const retries = 3;

/**
 * Runs `work` in one transaction that Prisma's client and hand-written SQL share. After a deadlock `work` runs again from its start,
 * so it must not have effects outside the transaction.
 */
export async function prismaTransaction<T>(
  prisma: PrismaClient,
  work: (client: Prisma.TransactionClient, tx: Tx) => Promise<T>,
): Promise<T> {
  for (let tried = 0; ; tried += 1) {
    const callbacks: (() => void)[] = [];
    try {
      const result = await prisma.$transaction(
        (client) => {
          const executor = fromPrisma(client);
          const tx: Tx = {
            query: executor.query,
            one: async <R>(query: Sql) => (await executor.query<R>(query))[0],
            afterCommit: (callback) => callbacks.push(callback),
          };
          return work(client, tx);
        },
        { maxWait: 5_000, timeout: 15_000 },
      );
      for (const callback of callbacks) callback();
      return result;
    } catch (error) {
      if (tried >= retries || !isRetryable(error)) throw databaseError(error);
    }
  }
}

/** Runs one statement of Prisma's client; a database that is away is `unavailable`, as through libs/database. */
export async function prismaStatement<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    throw databaseError(error);
  }
}
