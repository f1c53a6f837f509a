import { invalid } from '@switchyard/errors';
import { join, type Sql, sql } from './statement';

/** A clause, several that all must hold, or none, per filter: a field of `Filter` without an entry does not compile. */
export type ClauseTable<Filter, Context = void> = {
  [F in keyof Required<Filter>]: (value: NonNullable<Filter[F]>, context: Context) => Sql | readonly Sql[];
};

/** Clauses of the fields that are given, in the order of the table; all must hold. */
export function clausesOf<Filter extends object, Context = void>(
  table: ClauseTable<Filter, Context>,
  filter: Filter,
  context: Context,
): Sql[] {
  return (Object.keys(table) as (keyof Filter)[]).flatMap((field) => {
    const value = filter[field];
    return value === undefined ? [] : table[field](value as NonNullable<Filter[typeof field]>, context);
  });
}

// PostgreSQL compares it at every position of a text: with a crafted row of a megabyte the time is proportional to
// this.
const maxSearchLength = 500;

/**
 * Pattern for `like` that finds `text` anywhere: `%`, `_` and the backslash match themselves.
 * @throws AppError invalid for more than 500 characters
 */
export function contains(text: string): string {
  if (text.length > maxSearchLength) throw invalid(`Search is too long (maximum is ${maxSearchLength} characters)`);
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** True where at least one of the columns contains `text`, in any case. */
export const anyContains = (columns: readonly Sql[], text: string): Sql =>
  sql`(${join(
    columns.map((column) => sql`${column} ilike ${contains(text)}`),
    ' or ',
  )})`;
