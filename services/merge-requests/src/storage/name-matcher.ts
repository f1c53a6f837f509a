import { type Database, sql, sqlState } from '@switchyard/database';
import { invalid } from '@switchyard/errors';

/** Longest expression tried. */
const maxLength = 500;

/** Of `names`, those that match a regular expression. PostgreSQL's engine runs it: its time is bounded, JavaScript's is not. */
export async function matchingNames(db: Database, names: readonly string[], expression: string): Promise<Set<string>> {
  if (expression.length > maxLength) throw invalid('Regex is too long');
  try {
    const rows = await db.query<{ name: string }>(
      sql`select name from unnest(${names}::text[]) as given (name) where name ~ ${expression}`,
    );
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (sqlState(error) === '2201B') throw invalid('Regex is invalid');
    throw error;
  }
}
