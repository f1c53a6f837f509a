import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { SeenRun } from '../domain/seen-runs';
import type { ExpectedEntry, TrainHistory } from '../domain/train-forecast';
import { active } from './merge-train.row';
import { trainChannel } from './merge-train.save';

/** Runs, and departures, that a forecast looks back on. */
const lookedBackOn = 200;
/** Seconds after which the forecast of a train that has not changed is made again: a little less than its period. */
const oldSeconds = 55;
/** Trains of one look for old forecasts. */
const mostOutdated = 200;

interface HistoryRow {
  runs: (Omit<SeenRun, 'lasted'> & { lasted: number })[] | null;
  failed: number;
  landed: number;
}

/** What forecasts rest on, and where what they say is kept. */
export const trainForecastStore = (db: Database) => ({
  /** Id of the train of a branch; undefined when there is none. */
  async trainOf(projectId: number, targetBranch: string): Promise<number | undefined> {
    const row = await db.one<{ id: number }>(sql`
      select id from merge_trains where project_id = ${projectId} and target_branch = ${targetBranch}`);
    return row?.id;
  },

  /** The newest 200 runs of a train that ended with a verdict, and its newest 200 departures, from one statement. */
  async history(trainId: number): Promise<TrainHistory> {
    const row = await db.one<HistoryRow>(sql`
      select
        (select json_agg(r) from (
          select extract(epoch from finished_at - opened_at) * 1000 as lasted, verdict, rerun from merge_train_runs
          where train_id = ${trainId} and finished_at is not null and cars > 0 and verdict in ('green', 'failed', 'late')
          order by finished_at desc limit ${lookedBackOn}) r) as runs,
        count(*) filter (where d.reason in ('pipeline_failed', 'timeout'))::int as failed,
        count(*) filter (where d.reason = 'merged')::int as landed
      from (
        select reason from merge_train_departures where train_id = ${trainId} order by id desc limit ${lookedBackOn}) d`);
    return { runs: row?.runs ?? [], left: { failed: row?.failed ?? 0, landed: row?.landed ?? 0 } };
  },

  /** Takes over the forecast of a train, for one process at a time; false when there is none to make. */
  async claim(trainId: number): Promise<boolean> {
    // A train that is being changed is announced again when it is saved.
    const rows = await db.query(sql`
      update merge_trains t set forecast_version = t.version, forecast_at = now()
      where t.id = (
        select id from merge_trains
        where id = ${trainId}
          and (forecast_version is distinct from version or forecast_at < now() - make_interval(secs => ${oldSeconds}::int))
        for update skip locked)
      returning 1`);
    return rows.length > 0;
  },

  /** Keeps when cars are expected to land, and notifies those who watch where that has changed. */
  keep: (trainId: number, entries: readonly ExpectedEntry[]): Promise<void> =>
    db.transaction(async (tx) => {
      // A transaction that changes cars locks their train first: two updates of the same cars could wait for each other.
      await tx.query(sql`select 1 from merge_trains where id = ${trainId} for no key update`);
      const rows = await tx.query(sql`
        update merge_train_cars c set expected_at = given.expected_at, expected_by = given.expected_by
        from unnest(${entries.map(({ id }) => id)}::bigint[], ${entries.map(({ expectedAt }) => expectedAt ?? null)}::timestamptz(3)[],
          ${entries.map(({ expectedBy }) => expectedBy ?? null)}::timestamptz(3)[]) as given (id, expected_at, expected_by)
        where c.id = given.id and c.train_id = ${trainId} and c.status in ${active}
          and (c.expected_at, c.expected_by) is distinct from (given.expected_at, given.expected_by)
        returning 1`);
      if (rows.length > 0) tx.notify(trainChannel, String(trainId));
    }),

  /** Trains with cars whose forecast is a minute old: the oldest first. */
  async outdated(): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select t.id from merge_trains t
      where exists (select 1 from merge_train_cars c where c.train_id = t.id and c.status in ${active})
        and (t.forecast_at is null or t.forecast_at < now() - make_interval(secs => ${oldSeconds}::int))
      order by t.forecast_at nulls first, t.id limit ${mostOutdated}`);
    return rows.map(({ id }) => id);
  },
});
