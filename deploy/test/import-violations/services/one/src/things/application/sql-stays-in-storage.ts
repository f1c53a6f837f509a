import { sql } from '@switchyard/database/sql';

export const statement = sql`select 1`;
