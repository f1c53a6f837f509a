import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** Ids of the snippets of a project that came from elsewhere, by what names them there. */
export async function snippetsByOrigin(
  tx: Tx,
  { projectId, importedFrom }: { readonly projectId: number; readonly importedFrom: string },
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await tx.query<{ id: number; name: string }>(sql`
    select id, foreign_id as name from snippets
    where project_id = ${projectId} and imported_from = ${importedFrom} and foreign_id = any(${[...names]}::text[])`);
  return new Map(rows.map(({ id, name }) => [name, id]));
}
