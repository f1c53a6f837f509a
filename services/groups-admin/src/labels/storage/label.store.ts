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
} from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import type { DirectoryTx, DirectoryWriter, Viewer } from '../../directory';
import { publicViewer } from '../../directory';
import { issuableCounts, labelCounts } from '../../issuable-counts';
import { groupsBelow, groupsOf, type Parent, parentColumn, projectsIn } from '../../parents';
import { type LabelChangeRequest, type LabelDecision, type LabelFacts, labelExists } from '../domain/label-change';
import type { LabelChange, LabelFilter, LabelKey, LabelRow, NewLabel } from '../domain/label-row';

/** Where a label `l` is subscribed to as a parent shows it: in the project, in its own project, or in its group. */
const placeOf = ({ kind, id }: Parent): Sql => (kind === 'project' ? sql`${id}::bigint` : sql`l.project_id`);

const columns = (
  { kind, id }: Parent,
  viewer: Viewer = publicViewer,
): Sql => sql`l.id, l.project_id, l.namespace_id, l.title, l.color, l.description, l.archived,
  ${labelCounts(viewer, kind === 'project' ? id : undefined)} as counts,
  (select rank.priority from label_priorities rank where rank.label_id = l.id
    and rank.project_id = ${kind === 'project' ? id : 0}) as priority,
  exists (select from label_subscriptions s where s.label_id = l.id and s.user_id = ${viewer.userId}
    and s.project_id is not distinct from ${placeOf({ kind, id })}) as subscribed`;

const ownedBy = (parent: Parent): Sql => sql`l.${parentColumn(parent)} = ${parent.id}`;

/** A condition on `l`: the labels that a filter reaches. */
function reach(parent: Parent, filter: Omit<LabelFilter, 'search'>): Sql {
  const parts = [ownedBy(parent)];
  if (filter.above) parts.push(sql`l.namespace_id = any(${groupsOf(parent)})`);
  if (parent.kind === 'group') {
    if (filter.below) parts.push(sql`l.namespace_id = any(${groupsBelow(parent.id, filter.viewer)})`);
    if (filter.ofProjects) parts.push(sql`l.project_id = any(${projectsIn(parent.id, filter.below, filter.viewer)})`);
  }
  return sql`(${join(parts, ' or ')})`;
}

const ownAndAbove = { below: false, ofProjects: false, viewer: publicViewer };

/** One label by id or title; the id wins, then the parent's own. */
async function findLabel(
  executor: SqlExecutor,
  parent: Parent,
  key: LabelKey,
  { above, viewer, lock }: { above: boolean; viewer: Viewer; lock: boolean },
): Promise<LabelRow | undefined> {
  const id = typeof key === 'string' && /^\d{1,15}$/.test(key) ? Number(key) : 0;
  const title = typeof key === 'string' ? key : key.title;
  const [row] = await executor.query<LabelRow>(sql`
    select ${columns(parent, viewer)} from labels l
    where ${reach(parent, { above, ...ownAndAbove })} and (l.id = ${id} or l.title in (${title}, ${title.normalize()}))
    order by (l.id = ${id}) desc, (${ownedBy(parent)}) desc nulls last limit 1
    ${lock ? sql`for no key update of l` : sql``}`);
  return row;
}

/** Labels that a project or group can use with these titles, the nearest of each. */
const usableLabels = (executor: SqlExecutor, parent: Parent, titles: readonly string[]): Promise<LabelRow[]> =>
  executor.query<LabelRow>(sql`
    select distinct on (l.title) ${columns(parent)} from labels l left join namespaces n on n.id = l.namespace_id
    where l.title = any(${[...titles]}::text[]) and ${reach(parent, { above: true, ...ownAndAbove })}
    order by l.title, (${ownedBy(parent)}) desc nulls last, cardinality(n.ancestry) desc`);

const isUsable = async (executor: SqlExecutor, parent: Parent, title: string): Promise<boolean> =>
  (await usableLabels(executor, parent, [title])).length > 0;

/** Inserts labels; those whose title the parent has already are left out. */
const insertLabels = (tx: DirectoryTx, parent: Parent, labels: readonly NewLabel[]): Promise<{ id: number }[]> =>
  tx.write(
    'label',
    sql`
    insert into labels (${parentColumn(parent)}, title, color, description, archived, created_at, updated_at)
    select ${parent.id}, given.title, given.color, given.description, given.archived, coalesce(given.created_at, now()),
      coalesce(given.updated_at, now())
    from unnest(${labels.map(({ title }) => title)}::text[], ${labels.map(({ color }) => color)}::text[],
      ${labels.map(({ description }) => description ?? null)}::text[], ${labels.map(({ history }) => history?.archived ?? false)}::boolean[],
      ${labels.map(({ history }) => history?.createdAt ?? null)}::timestamptz[],
      ${labels.map(({ history }) => history?.updatedAt ?? null)}::timestamptz[])
      as given (title, color, description, archived, created_at, updated_at)
    on conflict do nothing returning id`,
  );

/** Sets the rank of a label in a project; null removes it. */
async function prioritize(
  tx: DirectoryTx,
  projectId: number,
  labelId: number,
  priority: number | null | undefined,
): Promise<void> {
  if (priority === undefined) return;
  await tx.write(
    'label',
    priority === null
      ? sql`delete from label_priorities where project_id = ${projectId} and label_id = ${labelId} returning label_id as id`
      : sql`insert into label_priorities (project_id, label_id, priority) values (${projectId}, ${labelId}, ${priority})
          on conflict (project_id, label_id) do update set priority = excluded.priority
          returning label_id as id`,
  );
}

async function saveChange(tx: DirectoryTx, parent: Parent, id: number, change: LabelChange): Promise<void> {
  const sets = [sql`updated_at = now()`];
  if (change.title !== undefined) sets.push(sql`title = ${change.title}`);
  if (change.color !== undefined) sets.push(sql`color = ${change.color}`);
  if (change.description !== undefined) sets.push(sql`description = nullif(${change.description}, '')`);
  await tx.write('label', sql`update labels set ${join(sets)} where id = ${id} returning id`);
  await prioritize(tx, parent.id, id, change.priority);
}

/** Deletes a label with its ranks and counts. */
const deleteLabel = (tx: DirectoryTx, id: number): Promise<void> =>
  tx.erase('label', [id], async () => {
    await tx.writeHidden(sql`delete from label_priorities where label_id = ${id}`);
    await issuableCounts.forgetLabel(tx, id);
  });

/** A project or group that was purged in the meantime takes no labels. */
const notFoundIfPurged =
  ({ kind }: Parent) =>
  (error: unknown): never => {
    throw isForeignKeyViolation(error) ? notFound(kind === 'group' ? 'Group' : 'Project') : error;
  };

/** Labels in the database; each change is one transaction with its directory changes. */
export const labelStore = (db: Database, { transaction }: Pick<DirectoryWriter, 'transaction'>) => ({
  /** A page of labels by title: one statement and one count. */
  list(parent: Parent, filter: LabelFilter, request: PageRequest): Promise<{ rows: LabelRow[]; page: PageInfo }> {
    const where = [reach(parent, filter)];
    if (filter.search !== undefined) {
      where.push(sql`l.title ilike ${contains(filter.search)} or l.description ilike ${contains(filter.search)}`);
    }
    return listPage<LabelRow>({
      db,
      name: 'list_labels',
      select: columns(parent, filter.viewer),
      from: sql`labels l`,
      where,
      orders: {
        title: [
          { name: 'title', expression: sql`l.title`, type: 'text' },
          { name: 'id', expression: sql`l.id`, type: 'bigint' },
        ],
      },
      request,
      count: true,
    });
  },

  find: (parent: Parent, key: LabelKey, above: boolean, viewer: Viewer): Promise<LabelRow | undefined> =>
    findLabel(db, parent, key, { above, viewer, lock: false }),

  async subscribe(parent: Parent, labelId: number, userId: number, subscribed: boolean): Promise<boolean> {
    const changed = await db.query(
      subscribed
        ? sql`insert into label_subscriptions (label_id, user_id, project_id)
            select l.id, ${userId}::bigint, ${placeOf(parent)} from labels l where l.id = ${labelId}
            on conflict do nothing returning 1`
        : sql`delete from label_subscriptions s using labels l
            where l.id = ${labelId} and s.label_id = l.id and s.user_id = ${userId}
              and s.project_id is not distinct from ${placeOf(parent)} returning 1`,
    );
    return changed.length > 0;
  },

  create: (parent: Parent, title: string, decide: (facts: LabelFacts) => NewLabel): Promise<number> =>
    transaction(async (tx) => {
      const label = decide({ titleTaken: await isUsable(tx, parent, title) });
      const [added] = await insertLabels(tx, parent, [label]);
      if (added === undefined) throw labelExists();
      await prioritize(tx, parent.id, added.id, label.priority);
      return added.id;
    }).catch(notFoundIfPurged(parent)),

  change: (
    { parent, key, title, unmodifiedSince }: LabelChangeRequest,
    decide: (label: LabelRow, facts: LabelFacts) => LabelDecision,
  ): Promise<number | undefined> =>
    transaction(async (tx) => {
      const label = await findLabel(tx, parent, key, { above: false, viewer: publicViewer, lock: true });
      if (label === undefined) return undefined;
      await requireUnmodified(tx, 'labels', label.id, unmodifiedSince);
      const titleTaken = title !== undefined && title !== label.title && (await isUsable(tx, parent, title));
      const decision = decide(label, { titleTaken });
      if (decision.kind === 'deleted') await deleteLabel(tx, label.id);
      else await saveChange(tx, parent, label.id, decision.change);
      return label.id;
    }).catch((error: unknown) => {
      throw isUniqueViolation(error) ? labelExists() : error;
    }),

  import: (parent: Parent, labels: readonly NewLabel[]): Promise<void> =>
    transaction(async (tx) => {
      const titles = (given: readonly NewLabel[]) => given.map(({ title }) => title);
      const usable = new Set((await usableLabels(tx, parent, titles(labels))).map(({ title }) => title));
      await insertLabels(
        tx,
        parent,
        labels.filter(({ title }) => !usable.has(title)),
      );
      const ranked = labels.filter(({ priority }) => priority !== undefined);
      const found = await usableLabels(tx, parent, titles(ranked));
      const ids = new Map(found.map(({ title, id }) => [title, id]));
      for (const { title, priority } of ranked) {
        const id = ids.get(title);
        if (id !== undefined) await prioritize(tx, parent.id, id, priority);
      }
    }).catch(notFoundIfPurged(parent)),

  async ensure(
    parent: Parent,
    titles: readonly string[],
    decide: (known: ReadonlySet<string>) => readonly NewLabel[],
  ): Promise<{ labels: LabelRow[]; sequence: number }> {
    let sequence = 0;
    const labels = await transaction(async (tx) => {
      let found = await usableLabels(tx, parent, titles);
      const missing = decide(new Set(found.map(({ title }) => title)));
      await insertLabels(tx, parent, missing);
      if (missing.length > 0) found = await usableLabels(tx, parent, titles);
      const byTitle = new Map(found.map((label) => [label.title, label]));
      tx.withSequence(async (reached) => {
        sequence = reached;
      });
      return titles.flatMap((title) => byTitle.get(title) ?? []);
    }).catch(notFoundIfPurged(parent));
    return { labels, sequence };
  },
});
