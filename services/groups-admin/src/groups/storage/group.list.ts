import { type Database, listPage, type OrderColumn, type PageInfo, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { hasCustomAttributes } from '../../custom-attributes';
import { matches, memberGroups, ownGroups, restorableGroups, type Viewer, visibleGroups } from '../../directory';
import { groupsInvitedTo, groupsSharedWith } from '../../shares';
import { type GroupFilter, type GroupRow, repositoryStorage } from '../domain/group-row';
import { groupColumnsWith, noExtras } from './group.columns';

const id: OrderColumn = { name: 'id', expression: sql`n.id`, type: 'bigint' };

const ordersFor = (search: string | undefined): Record<string, OrderColumn[]> => {
  const name: OrderColumn[] = [{ name: 'name', expression: sql`n.name`, type: 'text' }, id];
  const orders = { name, path: [{ name: 'path', expression: sql`n.path`, type: 'text' as const }, id], id: [id] };
  if (search === undefined) return { ...orders, similarity: name };
  // Best matches first, whatever the requested direction (G-4.15-11).
  const likeness = sql`round((similarity(n.path, ${search}) + similarity(n.name, ${search}))::numeric, 6)`;
  return {
    ...orders,
    similarity: [
      { name: 'similarity', expression: likeness, type: 'numeric', direction: 'desc' },
      { ...id, direction: 'desc' },
    ],
  };
};

/** A page of groups the viewer may see: one statement and one count. */
export function listGroups(
  db: Database,
  viewer: Viewer,
  filter: GroupFilter,
  request: PageRequest,
): Promise<{ rows: GroupRow[]; page: PageInfo }> {
  const { markedOn, repositoryStorage: storage } = filter;
  const extent = filter.parentId === undefined && filter.ancestorId === undefined ? 'many' : 'few';
  const seen = markedOn === undefined ? visibleGroups(viewer, extent) : restorableGroups(viewer, markedOn);
  const where = [sql`n.kind = 'group'`, seen];
  if (filter.minLevel !== undefined) where.push(memberGroups(viewer, filter.minLevel));
  else if (!filter.allAvailable && markedOn === undefined) where.push(ownGroups(viewer, extent));
  if (filter.parentId !== undefined) where.push(sql`n.parent_id = ${filter.parentId}`);
  if (filter.ancestorId !== undefined) {
    where.push(sql`n.ancestry @> array[${filter.ancestorId}::bigint] and n.id <> ${filter.ancestorId}`);
  }
  if (filter.skip !== undefined) where.push(sql`not n.id = any(${filter.skip}::bigint[])`);
  if (filter.search !== undefined) where.push(matches(filter.search, [sql`n.name`, sql`n.path`, sql`n.full_path`]));
  if (filter.visibility !== undefined) where.push(sql`n.visibility = ${filter.visibility}`);
  if (filter.topLevelOnly) where.push(sql`n.parent_id is null`);
  if (filter.sharedWith !== undefined) where.push(sql`n.id = any(${groupsSharedWith(filter.sharedWith)})`);
  if (filter.invitedTo !== undefined) where.push(sql`n.id = any(${groupsInvitedTo(filter.invitedTo)})`);
  if (storage !== undefined) where.push(sql`${storage === repositoryStorage}::boolean`);
  where.push(...hasCustomAttributes('group', sql`n.id`, filter.customAttributes ?? {}));
  return listPage<GroupRow>({
    db,
    name: 'list_groups',
    // Whether the names or the groups below are walked depends on how many are below.
    searches: filter.search !== undefined || extent === 'few',
    select: groupColumnsWith(filter.extras ?? noExtras),
    from: sql`namespaces n`,
    where,
    orders: ordersFor(filter.search),
    request,
    count: true,
  });
}
