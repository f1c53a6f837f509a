import type { Database, SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendAllToOutbox, snippetsMeasured } from '@switchyard/events';

/** Projects that one transaction measures at the most. */
const batch = 50;

/** Seconds in which changes of one project gather. */
const delaySeconds = 5;

/** Has the snippets of a project measured soon; within the transaction of the change. */
export const markForMeasurement = (tx: SqlExecutor, projectId: number): Promise<unknown> =>
  tx.query(sql`
    insert into snippet_measurements as m (project_id, measure_at)
    values (${projectId}, now() + make_interval(secs => ${delaySeconds}::double precision))
    on conflict (project_id) do update set measure_at = least(m.measure_at, excluded.measure_at)`);

/** Measurements of snippets. */
export const snippetMeasurementStore = (db: Database) => ({
  /**
   * Measures the snippets of due projects and publishes their sizes; returns how many. Several replicas take different
   * projects. A change that commits later than it is read here marks its project again. Versions follow the clock, so
   * that they also grow where a backup was restored. A deleted project is forgotten.
   */
  measureDue: (): Promise<number> =>
    db.transaction(async (tx) => {
      await tx.query(sql`
        delete from snippet_measurements m using directory.projects p
        where p.id = m.project_id and p.deleted_at is not null and m.measure_at <= now()`);
      const measured = await tx.query<{ projectId: number; version: number; size: number }>(sql`
        with due as materialized (
          select project_id as id from snippet_measurements where measure_at <= now()
          order by measure_at, project_id limit ${batch} for no key update skip locked)
        update snippet_measurements set measure_at = now() + interval '1 day',
          version = greatest(version + 1, (extract(epoch from now()) * 1000)::bigint)
        from due where project_id = due.id
        returning project_id as "projectId", version, (
          select coalesce(sum(octet_length(f.content)), 0)::bigint
          from snippets s join snippet_files f on f.snippet_id = s.id where s.project_id = due.id) as size`);
      const occurredAt = new Date();
      await appendAllToOutbox(
        tx,
        snippetsMeasured,
        measured.map((payload) => ({
          id: `snippets.measured:${payload.projectId}:${payload.version}`,
          payload: { ...payload, occurredAt },
        })),
      );
      return measured.length;
    }),
});
