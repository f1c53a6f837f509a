import {
  contains,
  type Database,
  isForeignKeyViolation,
  isUniqueViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type SqlExecutor,
  type Tx,
} from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import type { DirectoryTx, DirectoryWriter } from '../../directory';
import { publicViewer } from '../../directory';
import { groupsBelow, groupsOf, type Parent, parentColumn } from '../../parents';
import type { ImportedMilestone, MilestoneContent } from '../domain/milestone';
import {
  type MilestoneChangeRequest,
  type MilestoneDecision,
  type MilestoneFacts,
  milestoneTitleTaken,
} from '../domain/milestone-change';
import type { MilestoneFilter, MilestoneRow } from '../domain/milestone-row';
import { publishMilestone } from './milestone.events';

const columns = sql`ms.id, ms.iid, ms.project_id, ms.namespace_id, ms.title, ms.description, ms.state,
  ms.due_date::text as due_date, ms.start_date::text as start_date,
  coalesce(ms.due_date < current_date, false) as expired, ms.created_at, ms.updated_at,
  case when ms.namespace_id is not null then n.full_path else n.full_path || '/' || p.path end as parent_path`;

const from = sql`milestones ms left join projects p on p.id = ms.project_id
  join namespaces n on n.id = coalesce(ms.namespace_id, p.namespace_id)`;

const ownedBy = (parent: Parent): Sql => sql`ms.${parentColumn(parent)} = ${parent.id}`;

function reach(parent: Parent, filter: Pick<MilestoneFilter, 'above' | 'below' | 'viewer'>): Sql {
  const parts = [ownedBy(parent)];
  if (filter.above) parts.push(sql`ms.namespace_id = any(${groupsOf(parent)})`);
  if (filter.below && parent.kind === 'group') {
    parts.push(sql`ms.namespace_id = any(${groupsBelow(parent.id, filter.viewer)})`);
  }
  return join(parts, ' or ');
}

/** A milestone of this very parent. */
async function findMilestone(
  executor: SqlExecutor,
  parent: Parent,
  id: number,
  lock = false,
): Promise<MilestoneRow | undefined> {
  const [row] = await executor.query<MilestoneRow>(
    sql`select ${columns} from ${from} where ms.id = ${id} and ${ownedBy(parent)}
      ${lock ? sql`for no key update of ms` : sql``}`,
  );
  return row;
}

/** Those of some titles that other milestones have which the parent can use. */
async function takenTitles(
  tx: SqlExecutor,
  parent: Parent,
  titles: readonly string[],
  exceptId = 0,
): Promise<Set<string>> {
  const rows = await tx.query<{ title: string }>(
    sql`select ms.title from milestones ms where (${reach(parent, { above: true, below: false, viewer: publicViewer })})
      and ms.title = any(${[...titles]}::text[]) and ms.id <> ${exceptId}`,
  );
  return new Set(rows.map(({ title }) => title));
}

/** Whether another milestone that the parent can use has this title. */
const isTitleTaken = async (tx: Tx, parent: Parent, title: string, exceptId = 0): Promise<boolean> =>
  (await takenTitles(tx, parent, [title], exceptId)).size > 0;

/** Inserts a milestone with the next number of its parent. */
async function insertMilestone(tx: DirectoryTx, parent: Parent, content: MilestoneContent): Promise<number> {
  const [row] = await tx.write(
    'milestone',
    sql`
    with numbered as (
      insert into iid_counters as c (parent_kind, parent_id, scope, last_iid) values (${parent.kind}, ${parent.id}, 'milestones', 1)
      on conflict (parent_kind, parent_id, scope) do update set last_iid = c.last_iid + 1
      returning last_iid)
    insert into milestones (${parentColumn(parent)}, iid, title, description, due_date, start_date)
    select ${parent.id}, numbered.last_iid, ${content.title}, ${content.description},
      ${content.dueDate ?? null}::text::date, ${content.startDate ?? null}::text::date
    from numbered returning id`,
  );
  if (row === undefined) throw new Error('a milestone was not inserted');
  return row.id;
}

/** Has milestones of a project, if it is there, numbered above a number from now on; they may be already. */
const reserveIids = (tx: SqlExecutor, projectId: number, highest: number) =>
  tx.query(sql`
    insert into iid_counters as c (parent_kind, parent_id, scope, last_iid)
    select 'project', id, 'milestones', ${highest}::bigint from projects where id = ${projectId}
    on conflict (parent_kind, parent_id, scope) do update set last_iid = excluded.last_iid where c.last_iid < excluded.last_iid`);

/** Takes the next `count` numbers of a project's milestones; the first of them. */
async function takeIids(tx: Tx, projectId: number, count: number): Promise<number> {
  const row = await tx.one<{ first: number }>(sql`
    insert into iid_counters as c (parent_kind, parent_id, scope, last_iid) values ('project', ${projectId}, 'milestones', ${count})
    on conflict (parent_kind, parent_id, scope) do update set last_iid = c.last_iid + ${count}
    returning last_iid - ${count} + 1 as first`);
  return row!.first;
}

/** Inserts milestones with their numbers; those whose number or title the project has already stay. */
async function insertNumbered(tx: DirectoryTx, projectId: number, given: readonly ImportedMilestone[]): Promise<void> {
  const column = <T>(read: (one: ImportedMilestone) => T): T[] => given.map(read);
  await tx.write(
    'milestone',
    sql`insert into milestones (project_id, iid, title, description, state, due_date, start_date, created_at, updated_at)
      select ${projectId}::bigint, given.* from unnest(
        ${column(({ iid }) => iid)}::bigint[], ${column(({ title }) => title)}::text[],
        ${column(({ description }) => description)}::text[], ${column(({ state }) => state)}::text[],
        ${column(({ dueDate }) => dueDate ?? null)}::date[], ${column(({ startDate }) => startDate ?? null)}::date[],
        ${column(({ createdAt, updatedAt }) => createdAt ?? updatedAt)}::timestamptz[],
        ${column(({ updatedAt }) => updatedAt)}::timestamptz[]) as given
      on conflict do nothing returning id`,
  );
}

/**
 * Milestones of an import, those with the next numbers whose own are taken by what was made in the project meanwhile. What
 * an import before has brought, and was given another title since, has its number still: it is known by when it was made, to which forges give a second.
 */
async function withFreeNumbers(
  tx: Tx,
  projectId: number,
  given: readonly ImportedMilestone[],
): Promise<readonly ImportedMilestone[]> {
  const rows = await tx.query<{ iid: number; created_at: Date }>(sql`
    select iid, created_at from milestones
    where project_id = ${projectId} and iid = any(${given.map(({ iid }) => iid)}::bigint[])`);
  const made = new Map(rows.map((row) => [row.iid, row.created_at.getTime()]));
  // Of those that their forge does not date nothing is known: they stay away.
  const isTaken = ({ iid, createdAt }: ImportedMilestone): boolean =>
    createdAt !== undefined && made.has(iid) && made.get(iid) !== createdAt.getTime();
  const moved = given.filter(isTaken);
  if (moved.length === 0) return given;
  const first = await takeIids(tx, projectId, moved.length);
  return given.map((one) => (isTaken(one) ? { ...one, iid: first + moved.indexOf(one) } : one));
}

/**
 * Inserts milestones of an import; new ones get numbers above theirs, also above those whose place one of a group takes. Those of
 * groups get the next numbers: those that they had there are others' in the project.
 */
async function insertImported(tx: DirectoryTx, projectId: number, given: readonly ImportedMilestone[]): Promise<void> {
  const titles = given.map(({ title }) => title);
  const taken = await takenTitles(tx, { kind: 'project', id: projectId }, titles);
  // Of equal titles, as groups above each other may have, the first counts.
  const missing = (some: readonly ImportedMilestone[]) =>
    some.filter(({ title }) => !taken.has(title) && taken.add(title));
  const own = given.filter(({ group }) => !group);
  if (own.length > 0) {
    await reserveIids(tx, projectId, Math.max(...own.map(({ iid }) => iid)));
    await insertNumbered(tx, projectId, await withFreeNumbers(tx, projectId, missing(own)));
  }
  const added = missing(given.filter(({ group }) => group));
  if (added.length === 0) return;
  const first = await takeIids(tx, projectId, added.length);
  await insertNumbered(
    tx,
    projectId,
    added.map((one, at) => ({ ...one, iid: first + at })),
  );
}

async function saveDecision(
  tx: DirectoryTx,
  milestone: MilestoneRow,
  decision: MilestoneDecision,
  actorId: number,
): Promise<void> {
  if (decision.kind === 'deleted') {
    await tx.erase('milestone', [milestone.id]);
    return publishMilestone(tx, milestone, actorId, ['deleted']);
  }
  const { content, facts } = decision;
  await tx.write(
    'milestone',
    sql`update milestones set title = ${content.title}, description = ${content.description}, state = ${content.state},
      due_date = ${content.dueDate ?? null}::text::date, start_date = ${content.startDate ?? null}::text::date, updated_at = now()
      where id = ${milestone.id} returning id`,
  );
  await publishMilestone(tx, { ...milestone, title: content.title }, actorId, facts);
}

function refuseViolation(error: unknown): never {
  if (isUniqueViolation(error)) throw milestoneTitleTaken();
  // The project or group was purged in the meantime.
  throw isForeignKeyViolation(error) ? notFound() : error;
}

/** Milestones in the database; each change is one transaction with its events and directory changes. */
export const milestoneStore = (db: Database, { transaction }: Pick<DirectoryWriter, 'transaction'>) => ({
  /** A page of milestones, those that are due first, first: one statement and one count. */
  list(
    parent: Parent,
    filter: MilestoneFilter,
    request: PageRequest,
  ): Promise<{ rows: MilestoneRow[]; page: PageInfo }> {
    const where = [reach(parent, filter)];
    if (filter.iids !== undefined) where.push(sql`ms.iid = any(${filter.iids}::bigint[])`);
    if (filter.state !== undefined) where.push(sql`ms.state = ${filter.state}`);
    if (filter.title !== undefined) where.push(sql`ms.title in (${filter.title}, ${filter.title.normalize()})`);
    if (filter.search !== undefined) {
      where.push(sql`ms.title ilike ${contains(filter.search)} or ms.description ilike ${contains(filter.search)}`);
    }
    if (filter.updatedBefore !== undefined) where.push(sql`ms.updated_at < ${filter.updatedBefore}`);
    if (filter.updatedAfter !== undefined) where.push(sql`ms.updated_at > ${filter.updatedAfter}`);
    if (filter.containingDate !== undefined) {
      const day = sql`${filter.containingDate}::text::date`;
      where.push(
        sql`(ms.start_date is not null or ms.due_date is not null)
          and coalesce(ms.start_date <= ${day}, true) and coalesce(ms.due_date >= ${day}, true)`,
      );
    }
    return listPage<MilestoneRow>({
      db,
      name: 'list_milestones',
      select: columns,
      from,
      where,
      orders: {
        due_date: [
          { name: 'due_date', expression: sql`ms.due_date`, type: 'date', nullable: true },
          { name: 'id', expression: sql`ms.id`, type: 'bigint' },
        ],
      },
      request,
      count: true,
    });
  },

  find: (parent: Parent, id: number): Promise<MilestoneRow | undefined> => findMilestone(db, parent, id),

  create: (
    { parent, title, actorId }: { readonly parent: Parent; readonly title: string; readonly actorId: number },
    decide: (facts: MilestoneFacts) => MilestoneContent,
  ): Promise<number> =>
    transaction(async (tx) => {
      const content = decide({ titleTaken: await isTitleTaken(tx, parent, title) });
      const id = await insertMilestone(tx, parent, content);
      const created = await findMilestone(tx, parent, id);
      if (created !== undefined) await publishMilestone(tx, created, actorId, ['created']);
      return id;
    }).catch(refuseViolation),

  reserve: async (projectId: number, highest: number): Promise<void> => {
    await reserveIids(db, projectId, highest);
  },

  import: (projectId: number, milestones: readonly ImportedMilestone[]): Promise<void> =>
    milestones.length === 0
      ? Promise.resolve()
      : transaction((tx) => insertImported(tx, projectId, milestones)).catch(refuseViolation),

  change: (
    { parent, id, actorId, title, unmodifiedSince }: MilestoneChangeRequest,
    decide: (milestone: MilestoneRow, facts: MilestoneFacts) => MilestoneDecision,
  ): Promise<boolean> =>
    transaction(async (tx) => {
      const milestone = await findMilestone(tx, parent, id, true);
      if (milestone === undefined) return false;
      await requireUnmodified(tx, 'milestones', id, unmodifiedSince);
      const isRenamed = title !== undefined && title !== milestone.title;
      const titleTaken = isRenamed && (await isTitleTaken(tx, parent, title, id));
      await saveDecision(tx, milestone, decide(milestone, { titleTaken }), actorId);
      return true;
    }).catch(refuseViolation),
});
