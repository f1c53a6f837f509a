import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { maxLevels } from '../domain/placement';
import { datesChannel } from './epic-tree.store';

/** The start and the end of an epic `c`, as its parent inherits them. */
const own = {
  start: sql`case when c.start_date_is_fixed then c.start_date_fixed else c.inherited_start_date end`,
  due: sql`case when c.due_date_is_fixed then c.due_date_fixed else c.inherited_due_date end`,
};

/** Opens the dates that epics inherit. */
export const epicDateStore = (db: Database) => ({
  /** Calls `wake` when dates are to be computed; returns what ends that. */
  onWork: (wake: () => void): (() => void) => db.notices.listen(datesChannel, wake),

  /**
   * Marks the epics with issues of up to `limit` milestones whose dates are others than the epics have; returns how many
   * milestones these were.
   */
  async followMilestones(limit: number): Promise<number> {
    const row = await db.one<{ followed: number }>(sql`
      with changed as materialized (
        select coalesce(ms.id, known.milestone_id) as id, ms.start_date, ms.due_date
        from (select id, start_date, due_date from directory.milestones
          where deleted_at is null and (start_date is not null or due_date is not null)) ms
        full join epic_milestones known on known.milestone_id = ms.id
        where (ms.start_date, ms.due_date) is distinct from (known.start_date, known.due_date) or ms.id is null
        limit ${limit}),
      marked as (
        insert into epic_date_work (epic_id)
        select distinct link.epic_id from changed join issues i on i.milestone_id = changed.id
        join epic_issues link on link.issue_id = i.id
        on conflict (epic_id) do update set version = epic_date_work.version + 1),
      forgotten as (
        delete from epic_milestones where milestone_id in (
          select id from changed where start_date is null and due_date is null)),
      kept as (
        insert into epic_milestones (milestone_id, start_date, due_date)
        select id, start_date, due_date from changed where start_date is not null or due_date is not null
        on conflict (milestone_id) do update set start_date = excluded.start_date, due_date = excluded.due_date)
      select count(*)::int as followed from changed`);
    return row?.followed ?? 0;
  },

  /** Marks every epic with something that it may inherit from, or that has inherited; for a run over all. */
  async markAll(): Promise<void> {
    await db.query(sql`
      insert into epic_date_work (epic_id)
      select id from epics e where inherited_start_date is not null or inherited_due_date is not null
        or exists (select 1 from epic_issues link where link.epic_id = e.id)
        or exists (select 1 from epics c where c.parent_id = e.id)
      on conflict (epic_id) do update set version = epic_date_work.version + 1`);
  },

  /** Up to `limit` epics that are marked, and how often they were. */
  work: (limit: number): Promise<{ id: number; version: number }[]> =>
    db.query(sql`select epic_id as id, version from epic_date_work order by epic_id limit ${limit}`),

  /**
   * Computes the dates of epics, and of all above them, whether these were marked or not: a process that died in between
   * leaves the marks, and the next one does all of it again. Level by level, until nothing changes. Returns how many
   * dates were others.
   */
  async compute(ids: readonly number[]): Promise<number> {
    let changed = 0;
    for (let level = 0; level <= maxLevels; level += 1) {
      const row = await db.one<{ changed: number }>(sql`
        with recursive due as (
          select id, parent_id from epics where id = any(${[...ids]}::bigint[])
          union select e.id, e.parent_id from due join epics e on e.id = due.parent_id),
        sources as (
          select link.epic_id as id, ms.start_date as starts, ms.due_date as ends from due
          join epic_issues link on link.epic_id = due.id join issues i on i.id = link.issue_id
          join directory.milestones ms on ms.id = i.milestone_id and ms.deleted_at is null
          union all
          select c.parent_id, ${own.start}, ${own.due} from due join epics c on c.parent_id = due.id),
        computed as (
          select due.id, min(sources.starts) as starts, max(sources.ends) as ends
          from due left join sources on sources.id = due.id group by due.id),
        moved as (
          update epics e set inherited_start_date = computed.starts, inherited_due_date = computed.ends from computed
          where e.id = computed.id
            and (e.inherited_start_date, e.inherited_due_date) is distinct from (computed.starts, computed.ends)
          returning 1)
        select count(*)::int as changed from moved`);
      if ((row?.changed ?? 0) === 0) break;
      changed += row?.changed ?? 0;
    }
    return changed;
  },

  /** Takes marks away that have not been renewed since they were read. */
  async done(marks: readonly { readonly id: number; readonly version: number }[]): Promise<void> {
    await db.query(sql`
      delete from epic_date_work work using unnest(${marks.map(({ id }) => id)}::bigint[],
        ${marks.map(({ version }) => version)}::bigint[]) as mark (id, version)
      where work.epic_id = mark.id and work.version = mark.version`);
  },
});
