import { type Database, type Sql, sql } from '@switchyard/database';

/** A milestone or label whose issues may stand at the wrong place. */
export interface OrderSource {
  readonly kind: 'milestone' | 'label';
  readonly id: number;
  /** What the directory says: days since 1970, or a rank; undefined for none. */
  readonly value: number | undefined;
  /** The issues have this value already and are looked at for the second time. */
  readonly again: boolean;
}

/** Seconds after which issues are looked at once more: longer than a transaction that had read the value before. */
const settlesAfter = 30;

const dueOf = (id: Sql): Sql => sql`(
  select ms.due_date from directory.milestones ms where ms.id = ${id} and ms.deleted_at is null)`;

/** When the milestone of this id ends; an expression. */
export const milestoneDue = (id: number | null): Sql => dueOf(sql`${id}::bigint`);

/** The least rank among labels of these ids; an expression. */
export const leastPriority = (ids: Sql): Sql => sql`(
  select min(l.priority) from directory.labels l where l.id = any(${ids}) and l.deleted_at is null)`;

const milestoneBatch = (id: number, after: number, limit: number): Sql => sql`
  with touched as (select i.id from issues i where i.milestone_id = ${id} and i.id > ${after} order by i.id limit ${limit}),
  due as materialized (select ${milestoneDue(id)} as day),
  moved as (
    update issues i set milestone_due = due.day from touched, due where i.id = touched.id and i.milestone_due is distinct from due.day)
  select max(id) as last from touched`;

const labelBatch = (id: number, after: number, limit: number): Sql => sql`
  with touched as (
    select il.issue_id as id from issue_labels il where il.label_id = ${id} and il.issue_id > ${after} order by il.issue_id limit ${limit}),
  ranked as materialized (
    select touched.id, ${leastPriority(sql`array(select il.label_id from issue_labels il where il.issue_id = touched.id)`)} as priority
    from touched),
  moved as (
    update issues i set label_priority = ranked.priority from ranked
    where i.id = ranked.id and i.label_priority is distinct from ranked.priority)
  select max(id) as last from touched`;

/** What orders of issues are copied from, kept in step with the directory. */
export const issueOrderStore = (db: Database) => ({
  /** Up to `limit` milestones and labels whose issues have to be looked at. */
  async stale(limit: number): Promise<OrderSource[]> {
    const rows = await db.query<{ kind: OrderSource['kind']; id: number; value: number | null; again: boolean }>(sql`
      with said as (
        select 'milestone' as kind, id, due_date - date '1970-01-01' as value from directory.milestones
        where deleted_at is null and due_date is not null
        union all
        select 'label', id, priority from directory.labels where deleted_at is null and priority is not null)
      select coalesce(said.kind, known.kind) as kind, coalesce(said.id, known.id) as id, said.value,
        known.id is not null and said.value is not distinct from known.value as again
      from said full join issue_order_sources known on known.kind = said.kind and known.id = said.id
      where said.value is distinct from known.value
        or (not known.settled and known.applied_at < now() - ${settlesAfter}::int * interval '1 second')
      order by kind, id limit ${limit}`);
    return rows.map(({ value, ...row }) => ({ ...row, value: value ?? undefined }));
  },

  /** True while issues have to be looked at once more. */
  unsettled: async (): Promise<boolean> =>
    (await db.one(sql`select 1 from issue_order_sources where not settled limit 1`)) !== undefined,

  /** Puts up to `limit` issues with ids above `after` where the source says; the last id, undefined when there were none. */
  async place({ kind, id }: OrderSource, after: number, limit: number): Promise<number | undefined> {
    const row = await db.one<{ last: number | null }>(
      (kind === 'label' ? labelBatch : milestoneBatch)(id, after, limit),
    );
    return row?.last ?? undefined;
  },

  /** All issues of the source are in their places. */
  async placed({ kind, id, value, again }: OrderSource): Promise<void> {
    await db.query(
      again && value === undefined
        ? sql`delete from issue_order_sources where kind = ${kind} and id = ${id} and value is null`
        : sql`insert into issue_order_sources (kind, id, value, settled) values (${kind}, ${id}, ${value ?? null}, ${again})
            on conflict (kind, id) do update set value = excluded.value, settled = excluded.settled, applied_at = now()`,
    );
  },
});

/** What `issueOrderStore` gives. */
export type IssueOrderStore = ReturnType<typeof issueOrderStore>;
