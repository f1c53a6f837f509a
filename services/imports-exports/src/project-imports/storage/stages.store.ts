import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import type { ForgeKind } from '../../forges';
import type { ImportStatus, RunningImport, StageName, StandingStage } from '../domain/project-import';

/** Columns of `import_stages s` that `toStanding` reads. */
export const stageColumns = raw(`s.name, s.page, s.fetched, s.imported, s.pages,
  case when s.done then 'finished' when s.started_at is null then 'scheduled' else 'started' end as status,
  coalesce(extract(epoch from now() - s.started_at), 0)::double precision as seconds`);

/** A stage as it stands. */
export const toStanding = (row: Record<string, unknown>): StandingStage => ({
  name: row.name as StageName,
  page: row.page as number,
  fetched: row.fetched as number,
  imported: row.imported as number,
  status: row.status as StandingStage['status'],
  pages: (row.pages as number | null) ?? undefined,
  seconds: row.seconds as number,
});

/** Imports that have not ended, the oldest first. */
export async function runningImports(db: Database): Promise<RunningImport[]> {
  const rows = await db.query(sql`
    select x.project_id, x.forge, x.repository ->> 'fullName' as source, x.status,
      (select jsonb_agg(to_jsonb(one) order by one.position)
       from (select s.position, ${stageColumns} from import_stages s where s.import_id = x.id) one) as stages
    from project_imports x where x.status in ('scheduled', 'started') order by x.id`);
  return rows.map((row) => ({
    projectId: (row.project_id as number | null) ?? undefined,
    forge: row.forge as ForgeKind,
    source: row.source as string,
    status: row.status as ImportStatus,
    stages: (row.stages as Record<string, unknown>[]).map(toStanding),
  }));
}
