import { sql } from '@switchyard/database/sql';
import { rule } from '../domain/rule';

export const store = sql`select ${rule}`;
