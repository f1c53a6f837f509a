import { AppError } from '@switchyard/errors';
import type { Tx } from './database';
import { raw, sql } from './statement';

/**
 * The condition `If-Unmodified-Since` of a deletion: locks the row and refuses when it changed after `since`. Without
 * `since`, or without a row, nothing is refused. The header carries whole seconds, so fractions of `updated_at` do not
 * count.
 * @param table has the columns `id` and `updated_at`; a name written in the code
 * @throws AppError precondition_failed
 */
export async function requireUnmodified(
  tx: Pick<Tx, 'query'>,
  table: string,
  id: number,
  since: Date | undefined,
): Promise<void> {
  if (since === undefined) return;
  const [row] = await tx.query<{ changed: boolean }>(sql`
    select date_trunc('second', updated_at) > ${since}::timestamptz as changed from ${raw(table)} where id = ${id} for no key update`);
  if (row?.changed) throw new AppError('precondition_failed');
}
