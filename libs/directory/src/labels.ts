import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { displayText } from '@switchyard/texts';

/** A label of a project or of a group above it. */
export interface LabelRow {
  id: number;
  title: string;
  color: string;
  description: string | null;
  project_id: number | null;
  namespace_id: number | null;
}

/** A milestone of a project or of a group above it. Dates are `YYYY-MM-DD`. */
export interface MilestoneRow {
  id: number;
  iid: number;
  project_id: number | null;
  namespace_id: number | null;
  title: string;
  description: string | null;
  state: string;
  due_date: string | null;
  start_date: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Rows `alias` that a project may use: its own and those of the groups above it. */
const inScopeOf = (
  alias: Sql,
  projectId: number,
): Sql => sql`(${alias}.project_id = ${projectId} or ${alias}.namespace_id = any(array(
  select unnest(n.ancestry) from directory.projects p join directory.namespaces n on n.id = p.namespace_id where p.id = ${projectId})))`;

const labelColumns = sql`l.id, l.title, l.color, l.description, l.project_id, l.namespace_id`;

const milestoneColumns = sql`ms.id, ms.iid, ms.project_id, ms.namespace_id, ms.title, ms.description, ms.state,
  ms.due_date::text as due_date, ms.start_date::text as start_date, ms.created_at, ms.updated_at`;

/**
 * Labels a project may use, by exact title; of equal titles the project's own comes first, then the nearest group's.
 */
export const labelsByTitles = (db: SqlExecutor, projectId: number, titles: readonly string[]): Promise<LabelRow[]> =>
  titles.length === 0
    ? Promise.resolve([])
    : db.query<LabelRow>(sql`
        select distinct on (l.title) ${labelColumns} from directory.labels l
        left join directory.namespaces owner on owner.id = l.namespace_id
        where l.title = any(${[...titles]}::text[]) and l.deleted_at is null and ${inScopeOf(sql`l`, projectId)}
        order by l.title, l.project_id nulls last, cardinality(owner.ancestry) desc, l.id`);

/** Labels a group may use, by exact title: its own and those of the groups above it; of equal titles the nearest. */
export const groupLabelsByTitles = (
  db: SqlExecutor,
  groupId: number,
  titles: readonly string[],
): Promise<LabelRow[]> =>
  titles.length === 0
    ? Promise.resolve([])
    : db.query<LabelRow>(sql`
        select distinct on (l.title) ${labelColumns} from directory.namespaces n
        join directory.labels l on l.namespace_id = any(n.ancestry)
        join directory.namespaces owner on owner.id = l.namespace_id
        where n.id = ${groupId} and l.title = any(${[...titles]}::text[]) and l.deleted_at is null
        order by l.title, cardinality(owner.ancestry) desc, l.id`);

/** Labels a project may use, by id; others are left out. */
export const labelsInScope = (db: SqlExecutor, projectId: number, ids: readonly number[]): Promise<LabelRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.query<LabelRow>(sql`
        select ${labelColumns} from directory.labels l
        where l.id = any(${[...ids]}::bigint[]) and l.deleted_at is null and ${inScopeOf(sql`l`, projectId)} order by l.title, l.id`);

/** Labels by id, without regard to scope; deleted ones are not found. */
export async function labelsByIds(db: SqlExecutor, ids: Iterable<number>): Promise<Map<number, LabelRow>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await db.query<LabelRow>(sql`
    select ${labelColumns} from directory.labels l where l.id = any(${unique}::bigint[]) and l.deleted_at is null`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Milestones by id, without regard to scope; deleted ones are not found. */
export async function milestonesByIds(db: SqlExecutor, ids: Iterable<number>): Promise<Map<number, MilestoneRow>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await db.query<MilestoneRow>(sql`
    select ${milestoneColumns} from directory.milestones ms where ms.id = any(${unique}::bigint[]) and ms.deleted_at is null`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A milestone a project may use, by id; undefined when there is none in its scope. */
export async function milestoneInScope(
  db: SqlExecutor,
  projectId: number,
  id: number,
): Promise<MilestoneRow | undefined> {
  const [row] = await db.query<MilestoneRow>(sql`
    select ${milestoneColumns} from directory.milestones ms
    where ms.id = ${id} and ms.deleted_at is null and ${inScopeOf(sql`ms`, projectId)}`);
  return row;
}

/** Milestones a project may use, by exact title. */
export const milestonesByTitle = (db: SqlExecutor, projectId: number, title: string): Promise<MilestoneRow[]> =>
  db.query<MilestoneRow>(sql`
    select ${milestoneColumns} from directory.milestones ms
    where ms.title = ${title} and ms.deleted_at is null and ${inScopeOf(sql`ms`, projectId)} order by ms.id`);

/** Ids of a project's own milestones, by number. */
async function milestoneIdsByIids(
  db: SqlExecutor,
  projectId: number,
  iids: readonly number[],
): Promise<Map<number, number>> {
  if (iids.length === 0) return new Map();
  const rows = await db.query<{ id: number; iid: number }>(sql`
    select id, iid from directory.milestones
    where project_id = ${projectId} and deleted_at is null and iid = any(${[...iids]}::bigint[])`);
  return new Map(rows.map(({ id, iid }) => [iid, id]));
}

/**
 * Milestones a project may use, by exact titles and by ids: one statement. Of equal titles the project's own comes
 * first, then the nearest group's.
 */
export const milestonesInScope = (
  db: SqlExecutor,
  projectId: number,
  { titles, ids }: { readonly titles: readonly string[]; readonly ids: readonly number[] },
): Promise<MilestoneRow[]> =>
  titles.length + ids.length === 0
    ? Promise.resolve([])
    : db.query<MilestoneRow>(sql`
        select ${milestoneColumns} from directory.milestones ms
        left join directory.namespaces owner on owner.id = ms.namespace_id
        where (ms.title = any(${[...titles]}::text[]) or ms.id = any(${[...ids]}::bigint[]))
          and ms.deleted_at is null and ${inScopeOf(sql`ms`, projectId)}
        order by ms.project_id nulls last, cardinality(owner.ancestry) desc, ms.id`);

/** How an import names a milestone: by its number in the project, by its title, or both. */
export interface MilestoneName {
  readonly iid?: number | undefined;
  readonly title?: string | undefined;
}

/**
 * Finds milestones that an import names: the project's own of the number, which may have another title by now, or else the
 * nearest of the title, which is a group's where that one took the place of the import's. Another one of the project that
 * has the title comes first: the number was taken when it came in. At most two statements.
 * @returns the id of a milestone; undefined for one that is not there
 */
export async function namedMilestones(
  db: SqlExecutor,
  projectId: number,
  names: readonly MilestoneName[],
): Promise<(name: MilestoneName) => number | undefined> {
  const [numbered, titled] = await Promise.all([
    milestoneIdsByIids(
      db,
      projectId,
      names.flatMap(({ iid }) => iid ?? []),
    ),
    milestonesInScope(db, projectId, {
      titles: names.flatMap(({ title }) => (title === undefined ? [] : displayText(title))),
      ids: [],
    }),
  ]);
  // Of equal titles the nearest one comes first.
  const byTitle = new Map(titled.toReversed().map((row) => [row.title, row]));
  return ({ iid = 0, title = '' }) => {
    const ofTitle = byTitle.get(displayText(title));
    return ofTitle?.project_id === projectId ? ofTitle.id : (numbered.get(iid) ?? ofTitle?.id);
  };
}
