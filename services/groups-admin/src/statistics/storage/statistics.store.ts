import type { Tx } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import type { Measurement } from '../domain/sizes';

const upsert = (projectId: number, columns: Sql, values: Sql, version: Sql): Sql => sql`
  insert into project_statistics as known (project_id, ${columns})
  select p.id, ${values} from projects p where p.id = ${projectId}
  on conflict (project_id) do update set (${columns}) = row(${values})
  where known.${version} < excluded.${version}`;

/** Statistics in the database. */
export const statisticsStore = {
  /** Replaces what was measured of a project before; an older version, and a deleted project, change nothing. */
  async record(tx: Tx, { projectId, version, measured }: Measurement): Promise<void> {
    const statement =
      measured.of === 'repository'
        ? upsert(
            projectId,
            sql`repository_size, wiki_size, commit_count, repository_version`,
            sql`${measured.size}::bigint, ${measured.wikiSize}::bigint, ${measured.commitCount}::bigint, ${version}::bigint`,
            sql`repository_version`,
          )
        : upsert(
            projectId,
            sql`${raw(measured.of)}_size, ${raw(measured.of)}_version`,
            sql`${measured.size}::bigint, ${version}::bigint`,
            sql`${raw(measured.of)}_version`,
          );
    await tx.query(statement);
  },
};
