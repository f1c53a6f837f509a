import { type Sql, sql } from '@switchyard/database/sql';

/** Condition on `users u`: its id in digits, or its username. */
export const isUserNamed = (idOrUsername: string): Sql =>
  /^\d{1,15}$/.test(idOrUsername)
    ? sql`u.id = ${Number(idOrUsername)}`
    : sql`lower(u.username) = lower(${idOrUsername})`;
