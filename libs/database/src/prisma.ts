import { PrismaPg } from '@prisma/adapter-pg';
import type { Database, DatabaseOptions, SqlExecutor } from './database';
import { openPool } from './database';
import type { Sql } from './statement';

/**
 * The driver adapter for a service's generated client: `new PrismaClient({ adapter: prismaAdapter(database) })`. Given
 * a `Database` the client shares its pool (and `close` of the database ends it); given options it opens one of its own.
 */
export function prismaAdapter(source: Database | DatabaseOptions): PrismaPg {
  if ('pool' in source) return new PrismaPg(source.pool);
  return new PrismaPg(openPool(source), { disposeExternalPool: true });
}

/** The part of a generated Prisma client, or of its transaction, that runs SQL. */
export interface PrismaSqlClient {
  $queryRaw<T = unknown>(query: Sql): PromiseLike<T>;
}

/** Runs our SQL inside a Prisma transaction. bigint values become numbers, as they do through `Database`. */
export function fromPrisma(client: PrismaSqlClient): SqlExecutor {
  return {
    async query<T>(query: Sql) {
      const rows = await client.$queryRaw<Record<string, unknown>[]>(query);
      for (const row of rows) {
        for (const key in row) {
          const value = row[key];
          if (typeof value !== 'bigint') continue;
          const number = Number(value);
          if (!Number.isSafeInteger(number)) throw new RangeError(`${value} does not fit in a JavaScript number`);
          row[key] = number;
        }
      }
      return rows as T[];
    },
  };
}
