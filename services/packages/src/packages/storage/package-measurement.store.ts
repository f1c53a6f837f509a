import type { Database, SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendAllToOutbox, packagesMeasured } from '@switchyard/events';

/** Projects that one transaction measures at the most: one may have 100,000 packages. */
const batch = 10;

/** Seconds in which changes of one project gather. */
const delaySeconds = 5;

/** Has the packages and uploads of a project measured soon; within the transaction of the change. */
export const measureSoon = (tx: SqlExecutor, projectId: number): Promise<unknown> =>
  tx.query(sql`
    insert into package_measurements as m (project_id, measure_at)
    values (${projectId}, now() + make_interval(secs => ${delaySeconds}::double precision))
    on conflict (project_id) do update set measure_at = least(m.measure_at, excluded.measure_at)`);

const sizeOfDue = sql`(
  select coalesce(sum(c.size), 0)::bigint from packages k
  join package_files f on f.package_id = k.id join contents c on c.id = f.content_id
  where k.project_id = due.id and k.status <> 'pending_destruction')`;

const uploadsOfDue = sql`(
  select coalesce(sum(c.size), 0)::bigint from uploads u join contents c on c.id = u.content_id where u.project_id = due.id)`;

interface Measured {
  projectId: number;
  version: number;
  size: number;
  uploadsSize: number;
}

/** Opens the store. */
export const packageMeasurementStore = (db: Database) => ({
  // Several replicas take different projects. A change that commits later than it is read here marks its project again.
  // Versions follow the clock, so that they also grow where a backup was restored.
  measureDue: (): Promise<number> =>
    db.transaction(async (tx) => {
      const measured = await tx.query<Measured>(sql`
        with due as materialized (
          select project_id as id from package_measurements where measure_at <= now()
          order by measure_at, project_id limit ${batch} for no key update skip locked)
        update package_measurements set measure_at = now() + interval '1 day',
          version = greatest(version + 1, (extract(epoch from now()) * 1000)::bigint)
        from due where project_id = due.id returning project_id as "projectId", version, ${sizeOfDue} as size,
          ${uploadsOfDue} as "uploadsSize"`);
      await appendAllToOutbox(
        tx,
        packagesMeasured,
        measured.map((one) => ({
          id: `packages.measured:${one.projectId}:${one.version}`,
          payload: { ...one, occurredAt: new Date() },
        })),
      );
      return measured.length;
    }),
});
