import { type Repeating, repeat } from '@switchyard/background';
import type { Database, SqlExecutor } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import { appendAllToOutbox, type EventDefinition } from '@switchyard/events';

/** Milliseconds between two searches for projects that are to be measured. */
const interval = 5_000;

/** Seconds in which changes of one project gather. */
const delaySeconds = 5;

/** What every measurement says of a project. */
interface Measured {
  /** Project. */
  projectId: number;
  /** Grows with every measurement; follows the clock, so that it also grows where a backup was restored. */
  version: number;
  occurredAt?: Date | undefined;
}

/** Sizes of something that projects have. */
export interface MeasurementDeclaration<Payload extends Measured> {
  /** What is measured, for messages. */
  readonly name: string;
  /** Its rows are `project_id`, `measure_at` and `version`; by `(measure_at, project_id)` it has an index. */
  readonly table: string;
  /** Projects that one transaction measures at the most. */
  readonly batch: number;
  /** Published with each measurement; ids are `<type>:<project id>:<version>`. */
  readonly event: EventDefinition<Payload>;
  /** Columns by the names of the event, of the project `due.id`. */
  readonly sizes: Sql;
}

/** Has sizes of projects measured some seconds after a change, and once a day, and published (D6). */
export function projectMeasurements<Payload extends Measured>({
  name,
  table,
  batch,
  event,
  sizes,
}: MeasurementDeclaration<Payload>) {
  const rows = raw(table);
  /**
   * Measures due projects and publishes their sizes. Several replicas take different projects. A change that commits later
   * than it is read here marks its project again. A deleted project is forgotten.
   * @returns how many
   */
  const measureDue = (db: Database): Promise<number> =>
    db.transaction(async (tx) => {
      await tx.query(sql`
        delete from ${rows} m using directory.projects p
        where p.id = m.project_id and p.deleted_at is not null and m.measure_at <= now()`);
      const measured = await tx.query<Omit<Payload, 'occurredAt'>>(sql`
        with due as materialized (
          select project_id as id from ${rows} where measure_at <= now()
          order by measure_at, project_id limit ${batch} for no key update skip locked)
        update ${rows} set measure_at = now() + interval '1 day',
          version = greatest(version + 1, (extract(epoch from now()) * 1000)::bigint)
        from due where project_id = due.id returning project_id as "projectId", version, ${sizes}`);
      const occurredAt = new Date();
      await appendAllToOutbox(
        tx,
        event,
        measured.map((sizesOfOne) => {
          const payload = { ...sizesOfOne, occurredAt } as Payload;
          return { id: `${event.type}:${payload.projectId}:${payload.version}`, payload };
        }),
      );
      return measured.length;
    });

  return {
    /** Has a project measured soon; within the transaction of the change. */
    measureSoon: (tx: SqlExecutor, projectId: number): Promise<unknown> =>
      tx.query(sql`
        insert into ${rows} as m (project_id, measure_at)
        values (${projectId}, now() + make_interval(secs => ${delaySeconds}::double precision))
        on conflict (project_id) do update set measure_at = least(m.measure_at, excluded.measure_at)`),
    measureDue,
    /** Measures whatever is due, now and every 5 seconds. */
    measure: (db: Database): Repeating =>
      repeat(`sizes of ${name}`, interval, async (stopping) => {
        while (!stopping.aborted && (await measureDue(db)) > 0);
      }),
  };
}
