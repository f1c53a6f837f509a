import { type Database, emptyLast, type OrderColumn } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';

/**
 * Tables of rows that have a milestone and labels, and are listed in the order of the milestone's end and the labels'
 * ranks. The rows carry both (`milestone_due`, `label_priority`): with a join no index would give the order.
 */
export interface PriorityTables {
  readonly rows: string;
  readonly labels: string;
  /** Column of `labels` with the id of the row. */
  readonly labelled: string;
  /** Dates and ranks as the rows have them: `kind`, `id`, `value`, `settled`, `applied_at`. */
  readonly sources: string;
}

/** A milestone or label whose rows may be in the wrong order. */
export interface OrderSource {
  readonly kind: 'milestone' | 'label';
  readonly id: number;
  /** The value in the directory: days since 1970, or a rank; undefined for none. */
  readonly value: number | undefined;
  /** The rows have this value already and are checked for the second time. */
  readonly again: boolean;
}

/** Seconds after which rows are checked again: longer than a transaction that had read the value before. */
const settlesAfter = 30;

const dueOf = (id: Sql): Sql => sql`(
  select ms.due_date from directory.milestones ms where ms.id = ${id} and ms.deleted_at is null)`;

/**
 * The orders by milestone and label of the rows `alias`; each continues with the given column. Those of milestones that
 * end on one day stand by their labels: one index serves `milestone_due` and `priority`.
 */
export function priorityOrders(
  alias: string,
  id: OrderColumn,
): Record<'milestone_due' | 'priority' | 'label_priority', OrderColumn[]> {
  const rank = emptyLast('label_priority', 'integer', raw(`${alias}.label_priority`));
  const priority = [emptyLast('milestone_due', 'date', raw(`${alias}.milestone_due`)), rank, id];
  return { milestone_due: priority, priority, label_priority: [rank, id] };
}

/** When the milestone of this id ends; an expression. */
export const milestoneDue = (id: number | null): Sql => dueOf(sql`${id}::bigint`);

/** The least rank among labels of these ids; an expression. */
export const leastPriority = (ids: Sql): Sql => sql`(
  select min(l.priority) from directory.labels l where l.id = any(${ids}) and l.deleted_at is null)`;

type Tables = { readonly [Name in keyof PriorityTables]: Sql };

const tablesOf = ({ rows, labels, labelled, sources }: PriorityTables): Tables => ({
  rows: raw(rows),
  labels: raw(labels),
  labelled: raw(labelled),
  sources: raw(sources),
});

const milestoneBatch = ({ rows }: Tables, id: number, after: number, limit: number): Sql => sql`
  with touched as (select i.id from ${rows} i where i.milestone_id = ${id} and i.id > ${after} order by i.id limit ${limit}),
  due as materialized (select ${milestoneDue(id)} as day),
  moved as (
    update ${rows} i set milestone_due = due.day from touched, due where i.id = touched.id and i.milestone_due is distinct from due.day)
  select max(id) as last from touched`;

const labelBatch = ({ rows, labels, labelled }: Tables, id: number, after: number, limit: number): Sql => sql`
  with touched as (
    select il.${labelled} as id from ${labels} il where il.label_id = ${id} and il.${labelled} > ${after} order by il.${labelled} limit ${limit}),
  ranked as materialized (
    select touched.id, ${leastPriority(sql`array(select il.label_id from ${labels} il where il.${labelled} = touched.id)`)} as priority
    from touched),
  moved as (
    update ${rows} i set label_priority = ranked.priority from ranked
    where i.id = ranked.id and i.label_priority is distinct from ranked.priority)
  select max(id) as last from touched`;

/** What these orders are copied from, kept in step with the directory. */
export const priorityOrderStore = (db: Database, tables: PriorityTables) => {
  const named = tablesOf(tables);
  const { sources } = named;
  return {
    /** Up to `limit` milestones and labels whose rows have to be checked. */
    async stale(limit: number): Promise<OrderSource[]> {
      const rows = await db.query<{ kind: OrderSource['kind']; id: number; value: number | null; again: boolean }>(sql`
      with current as (
        select 'milestone' as kind, id, due_date - date '1970-01-01' as value from directory.milestones
        where deleted_at is null and due_date is not null
        union all
        select 'label', id, priority from directory.labels where deleted_at is null and priority is not null)
      select coalesce(current.kind, known.kind) as kind, coalesce(current.id, known.id) as id, current.value,
        known.id is not null and current.value is not distinct from known.value as again
      from current full join ${sources} known on known.kind = current.kind and known.id = current.id
      where current.value is distinct from known.value
        or (not known.settled and known.applied_at < now() - ${settlesAfter}::int * interval '1 second')
      order by kind, id limit ${limit}`);
      return rows.map(({ value, ...row }) => ({ ...row, value: value ?? undefined }));
    },

    /** True while rows have to be checked again. */
    unsettled: async (): Promise<boolean> =>
      (await db.one(sql`select 1 from ${sources} where not settled limit 1`)) !== undefined,

    /**
     * Puts up to `limit` rows with ids above `after` into the order of the source; returns the last id, undefined when
     * there were none.
     */
    async place({ kind, id }: OrderSource, after: number, limit: number): Promise<number | undefined> {
      const row = await db.one<{ last: number | null }>(
        (kind === 'label' ? labelBatch : milestoneBatch)(named, id, after, limit),
      );
      return row?.last ?? undefined;
    },

    /** All rows of the source are in their places. */
    async placed({ kind, id, value, again }: OrderSource): Promise<void> {
      await db.query(
        again && value === undefined
          ? sql`delete from ${sources} where kind = ${kind} and id = ${id} and value is null`
          : sql`insert into ${sources} (kind, id, value, settled) values (${kind}, ${id}, ${value ?? null}, ${again})
            on conflict (kind, id) do update set value = excluded.value, settled = excluded.settled, applied_at = now()`,
      );
    },
  };
};

/** What `priorityOrderStore` gives. */
export type PriorityOrderStore = ReturnType<typeof priorityOrderStore>;
