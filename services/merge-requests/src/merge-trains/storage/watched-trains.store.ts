import { type Database, given } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { enqueueJobs } from '../../jobs';
import { bucketsOf } from '../domain/duration-buckets';
import { leastPatience, type WaitingTrain } from '../domain/stuck-train';
import { usualRangeStart } from '../domain/train-statistics';
import { active } from './merge-train.row';

/** Trains of one look, the longest waiting first. */
const mostTrains = 1_000;

type Row = Omit<WaitingTrain, 'landedAt' | 'turnaround'> & {
  landedAt: Date | null;
  turnaround: Record<string, number> | null;
};

// The rule of `judge`, without the time in which no name may come: that is shorter than any patience.
const greenHead = sql`
  select max(coalesce(cs.finished_at, cs.updated_at)) as at
  from (select c.pipeline_id from merge_train_cars c where c.train_id = t.id and c.status in ${active} order by c.rank, c.id limit 1) first
  join pipelines pl on pl.id = first.pipeline_id
  join commit_statuses cs on cs.pipeline_id = pl.id and not cs.retried
  where (cs.status = 'success' or (cs.status = 'failed' and cs.allow_failure)
      or (cs.status = 'skipped' and p.allow_merge_on_skipped_pipeline))
    and case when cardinality(p.merge_train_required_statuses) > 0 then cs.name = any(p.merge_train_required_statuses)
      else pl.status in ('success', 'skipped') end
  having count(*) >= case when cardinality(p.merge_train_required_statuses) > 0 then cardinality(p.merge_train_required_statuses)
    else greatest(1, p.merge_train_required_status_count) end`;

const idsOf = (trains: readonly WaitingTrain[]): number[] => trains.map(({ id }) => id);

/** Trains as their watchdog sees them. */
export const watchedTrainStore = (db: Database) => ({
  /**
   * Trains with cars, not paused, that have waited for at least `leastPatience` after a green pipeline since their last
   * landing: the longest waiting first, at most 1,000, from one statement.
   */
  async waiting(now: Date): Promise<WaitingTrain[]> {
    // What the train itself has found green since it landed something and its oldest car was added; and what is reported
    // for its first car, since a train whose job fails finds nothing.
    const rows = await db.query<Row>(sql`
      with queue as (
        select c.train_id, min(c.created_at) as added_at from merge_train_cars c where c.status in ${active} group by c.train_id),
      waiting as (
        select t.id, t.project_id, t.target_branch, t.landed_at, p.merge_train_timeout,
          greatest(least(run.at, head.at), t.landed_at, t.control_changed_at) as waiting_since
        from queue join merge_trains t on t.id = queue.train_id
        join directory.projects p on p.id = t.project_id and p.deleted_at is null
        left join lateral (
          select r.finished_at as at from merge_train_runs r
          where r.train_id = t.id and r.finished_at > greatest(t.landed_at, queue.added_at) and r.verdict = 'green'
          order by r.finished_at limit 1) run on true
        left join lateral (${greenHead}) head on true
        where t.control_state <> 'paused' and (run.at is not null or head.at is not null)
          and greatest(least(run.at, head.at), t.landed_at, t.control_changed_at)
            <= ${now}::timestamptz - make_interval(secs => ${leastPatience}::int)
        order by waiting_since limit ${mostTrains})
      select w.id, w.project_id as "projectId", w.target_branch as "targetBranch", w.landed_at as "landedAt",
        w.merge_train_timeout as "timeoutMinutes", w.waiting_since as "waitingSince",
        (select json_object_agg(b.name, b.value) from (
          select m.name, sum(m.value) as value from merge_train_measures m
          where m.train_id = w.id and m.day >= ${usualRangeStart(now)}::date and m.measure = 'turnaround' group by m.name) b) as turnaround
      from waiting w`);
    return rows.map((row) => ({
      ...row,
      landedAt: given(row.landedAt),
      turnaround: bucketsOf(row.turnaround ?? {}),
    }));
  },

  /**
   * Has stuck trains read their target branches and run their jobs; passes over those that have landed since, or are
   * being changed now.
   * @returns ids of those that were not known to be stuck
   */
  lookAgain: (stuck: readonly WaitingTrain[], now: Date): Promise<number[]> =>
    db.transaction(async (tx) => {
      const rows = await tx.query<{ id: number; isNew: boolean }>(sql`
        with given as (
          select * from unnest(${idsOf(stuck)}::bigint[], ${stuck.map(({ landedAt }) => landedAt ?? null)}::timestamptz[])
            as given (id, landed_at)),
        found as (
          select t.id, t.stuck_since is null as is_new from merge_trains t join given on given.id = t.id
          where t.landed_at is not distinct from given.landed_at and t.control_state <> 'paused'
          order by t.id for update of t skip locked)
        update merge_trains t set stuck_since = coalesce(t.stuck_since, ${now}::timestamptz), target_moves = target_moves + 1
        from found where t.id = found.id returning t.id, found.is_new as "isNew"`);
      await enqueueJobs(
        tx,
        rows.map(({ id }) => ({ kind: 'merge_train', trainId: id }) as const),
      );
      return rows.filter(({ isNew }) => isNew).map(({ id }) => id);
    }),

  /** Notes that no other trains than these are stuck. */
  async recovered(stuck: readonly WaitingTrain[]): Promise<void> {
    await db.query(sql`
      update merge_trains set stuck_since = null where id in (
        select id from merge_trains where stuck_since is not null and id <> all(${idsOf(stuck)}::bigint[])
        order by id for update skip locked)`);
  },

  /** How many trains are stuck. */
  async countStuck(): Promise<number> {
    const row = await db.one<{ count: number }>(
      sql`select count(*)::int as count from merge_trains where stuck_since is not null`,
    );
    return row?.count ?? 0;
  },
});
