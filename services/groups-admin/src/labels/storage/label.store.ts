import {
  contains,
  type Database,
  listPage,
  type PageInfo,
  type PageRequest,
  type SqlExecutor,
} from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import type { DirectoryTx, Viewer } from '../../directory';
import { nobody } from '../../directory';
import { issuableCounts, labelCounts } from '../../issuable-counts';
import { groupsBelow, groupsOf, type Parent, parentColumn, projectsIn } from '../../parents';
import type { LabelFilter, LabelKey, LabelRow, NewLabel } from '../domain/label-row';

const columns = (
  { kind, id }: Parent,
  viewer: Viewer = nobody,
): Sql => sql`l.id, l.project_id, l.namespace_id, l.title, l.color, l.description, l.archived,
  ${labelCounts(viewer, kind === 'project' ? id : undefined)} as counts,
  (select rank.priority from label_priorities rank where rank.label_id = l.id
    and rank.project_id = ${kind === 'project' ? id : 0}) as priority`;

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

const ownAndAbove = { below: false, ofProjects: false, viewer: nobody };

/** Labels in the database. */
export const labelStore = (db: Database) => ({
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

  /** One label by id or title; the id wins, then the parent's own. */
  async find(
    parent: Parent,
    key: LabelKey,
    above: boolean,
    viewer: Viewer = nobody,
    tx: SqlExecutor = db,
  ): Promise<LabelRow | undefined> {
    const id = typeof key === 'string' && /^\d{1,15}$/.test(key) ? Number(key) : 0;
    const title = typeof key === 'string' ? key : key.title;
    const [row] = await tx.query<LabelRow>(sql`
      select ${columns(parent, viewer)} from labels l
      where ${reach(parent, { above, ...ownAndAbove })} and (l.id = ${id} or l.title in (${title}, ${title.normalize()}))
      order by (l.id = ${id}) desc, (${ownedBy(parent)}) desc nulls last limit 1`);
    return row;
  },

  /** Labels that a project or group can use with these titles, the nearest of each. */
  usable: (tx: SqlExecutor, parent: Parent, titles: readonly string[]): Promise<LabelRow[]> =>
    tx.query<LabelRow>(sql`
      select distinct on (l.title) ${columns(parent)} from labels l left join namespaces n on n.id = l.namespace_id
      where l.title = any(${[...titles]}::text[]) and ${reach(parent, { above: true, ...ownAndAbove })}
      order by l.title, (${ownedBy(parent)}) desc nulls last, cardinality(n.ancestry) desc`),

  /** Inserts labels; those whose title the parent has already are left out. */
  insert: (tx: DirectoryTx, parent: Parent, labels: readonly NewLabel[]): Promise<{ id: number }[]> =>
    tx.write(
      'label',
      sql`
      insert into labels (${parentColumn(parent)}, title, color, description)
      select ${parent.id}, given.title, given.color, given.description
      from unnest(${labels.map(({ title }) => title)}::text[], ${labels.map(({ color }) => color)}::text[],
        ${labels.map(({ description }) => description ?? null)}::text[]) as given (title, color, description)
      on conflict do nothing returning id`,
    ),

  /** Changes what is given; a unique violation when the title is taken. */
  async change(
    tx: DirectoryTx,
    id: number,
    change: { title?: string; color?: string; description?: string },
  ): Promise<void> {
    const sets = [sql`updated_at = now()`];
    if (change.title !== undefined) sets.push(sql`title = ${change.title}`);
    if (change.color !== undefined) sets.push(sql`color = ${change.color}`);
    if (change.description !== undefined) sets.push(sql`description = nullif(${change.description}, '')`);
    await tx.write('label', sql`update labels set ${join(sets)} where id = ${id} returning id`);
  },

  /** Sets the rank of a label in a project; null takes it away. */
  async prioritize(tx: DirectoryTx, projectId: number, labelId: number, priority: number | null): Promise<void> {
    await tx.write(
      'label',
      priority === null
        ? sql`delete from label_priorities where project_id = ${projectId} and label_id = ${labelId} returning label_id as id`
        : sql`insert into label_priorities (project_id, label_id, priority) values (${projectId}, ${labelId}, ${priority})
            on conflict (project_id, label_id) do update set priority = excluded.priority
            returning label_id as id`,
    );
  },

  /** Deletes a label with its ranks and counts. */
  remove: (tx: DirectoryTx, id: number): Promise<void> =>
    tx.erase('label', [id], async () => {
      await tx.writeHidden(sql`delete from label_priorities where label_id = ${id}`);
      await issuableCounts.forgetLabel(tx, id);
    }),
});
