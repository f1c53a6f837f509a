import { type Database, listPage, type OrderColumn, type PageRequest } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { epicFrom, visibleEpics } from '../../epic-trees';
import type { EpicQuery, EpicScope } from '../domain/epic-query';
import { epicConditions } from './epic.filter';
import { epicSelect, toEpicView } from './epic.row';

const id: OrderColumn = { name: 'id', expression: sql`e.id`, type: 'bigint' };

const orders: Record<string, OrderColumn[]> = {
  created_at: [{ name: 'created_at', expression: sql`e.created_at`, type: 'timestamptz' }, id],
  updated_at: [{ name: 'updated_at', expression: sql`e.updated_at`, type: 'timestamptz' }, id],
  title: [{ name: 'title', expression: sql`lower(e.title)`, type: 'text' }, id],
};

/** Ids of the groups of a scope, read once per statement; an array. */
function groupsOf({ groupId, above, below }: EpicScope): Sql {
  const ancestors = sql`select unnest(home.ancestry) from directory.namespaces home where home.id = ${groupId}`;
  const descendants = sql`select lower_group.id from directory.namespaces lower_group
    where lower_group.ancestry @> array[${groupId}::bigint]`;
  return sql`array(select ${groupId}::bigint${above ? sql` union ${ancestors}` : sql``}${below ? sql` union ${descendants}` : sql``})`;
}

/** Opens the list. */
export const epicList = (db: Database) => ({
  async page({ scope, filter, viewer }: EpicQuery, request: PageRequest) {
    const groups = groupsOf(scope);
    const { rows, page } = await listPage({
      db,
      name: 'list_epics',
      searches: filter.search !== undefined,
      select: epicSelect(viewer),
      from: epicFrom,
      where: [sql`e.group_id = any(${groups})`, ...epicConditions(filter, viewer.userId), visibleEpics(viewer)],
      orders,
      request,
      count: true,
      // A group with few epics among many is not found by walking the order of all.
      begin: { id: sql`e.id`, at: [sql`select few.id from epics few where few.group_id = any(${groups})`] },
    });
    return { rows: rows.map(toEpicView), page };
  },
});
