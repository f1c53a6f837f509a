import { type Database, given } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Counters, MeasuredTrain, StatisticsRange } from '../domain/train-statistics';

/** Status names that a statistic shows; all others are one. */
const shownNames = 100;

interface TrainRow {
  id: number;
  createdAt: Date;
  pausedSince: Date | null;
}

type CounterRow = Omit<Counters, 'day'> & { day: string | null };

/** The counters of trains. */
export const trainCounterStore = (db: Database) => ({
  /**
   * A train and its counters in a range: two statements, whose cost depends on the days and names of the range alone.
   * @returns undefined for a branch without a train
   */
  async measured(
    { projectId, targetBranch }: { readonly projectId: number; readonly targetBranch: string },
    { after, before }: StatisticsRange,
  ): Promise<MeasuredTrain | undefined> {
    const row = await db.one<TrainRow>(
      named(
        'measured_merge_train',
        sql`select id, created_at as "createdAt",
          case when control_state = 'paused' then coalesce(paused_since, control_changed_at) end as "pausedSince"
        from merge_trains where project_id = ${projectId} and target_branch = ${targetBranch}`,
      ),
    );
    if (row === undefined) return undefined;
    const counters = await db.query<CounterRow>(
      named(
        'merge_train_measures',
        sql`with counted as (
          select case when measure in ('failures', 'flakes') then null else day end as day, measure, name, sum(value) as value
          from merge_train_measures where train_id = ${row.id} and day between ${after}::date and ${before}::date
          group by 1, 2, 3),
        ranked as (
          select *, case when day is null then row_number() over (partition by day, measure order by value desc, name) end as place
          from counted),
        shown as (
          select day, measure, case when place > ${shownNames}::int then '' else name end as name, sum(value) as value
          from ranked group by 1, 2, 3)
        select to_char(day, 'YYYY-MM-DD') as day, measure, json_object_agg(name, value) as values
        from shown group by 1, 2`,
      ),
    );
    return {
      createdAt: row.createdAt,
      pausedSince: given(row.pausedSince),
      counters: counters.map((counter) => ({ ...counter, day: given(counter.day) })),
    };
  },
});
