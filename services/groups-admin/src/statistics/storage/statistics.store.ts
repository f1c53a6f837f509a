import type { Tx } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import type { Measurement } from '../domain/sizes';

/** The columns of what was measured, beside the version, and their values. */
function columnsOf(measured: Measurement['measured']): { readonly columns: Sql; readonly values: Sql } {
  const size = { columns: sql`${raw(measured.of)}_size`, values: sql`${measured.size}::bigint` };
  if (measured.of === 'snippets' || measured.of === 'reports') return size;
  if (measured.of === 'packages')
    return {
      columns: sql`${size.columns}, uploads_size`,
      values: sql`${size.values}, ${measured.uploadsSize}::bigint`,
    };
  return {
    columns: sql`${size.columns}, wiki_size, commit_count`,
    values: sql`${size.values}, ${measured.wikiSize}::bigint, ${measured.commitCount}::bigint`,
  };
}

/** Statistics in the database. */
export const statisticsStore = {
  /** Replaces what was measured of a project before; an older version, and a deleted project, change nothing. */
  async record(tx: Tx, { projectId, version, measured }: Measurement): Promise<void> {
    const { columns, values } = columnsOf(measured);
    const ofVersion = sql`${raw(measured.of)}_version`;
    await tx.query(sql`
      insert into project_statistics as known (project_id, ${columns}, ${ofVersion})
      select p.id, ${values}, ${version}::bigint from projects p where p.id = ${projectId}
      on conflict (project_id) do update set (${columns}, ${ofVersion}) = row(${values}, ${version}::bigint)
      where known.${ofVersion} < excluded.${ofVersion}`);
  },
};
