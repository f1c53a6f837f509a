import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { GroupState } from './group.events';

/** What hooks say of groups, by id. */
export async function groupStates(db: SqlExecutor, ids: readonly number[]): Promise<ReadonlyMap<number, GroupState>> {
  const rows = await db.query<GroupState & { id: number }>(sql`
    select n.id, n.name, n.path, n.full_path as "fullPath", coalesce(n.parent_id, 0) as "parentId", n.visibility,
      coalesce(parent.name, '') as "parentName", coalesce(parent.path, '') as "parentPath",
      coalesce(parent.full_path, '') as "parentFullPath"
    from namespaces n left join namespaces parent on parent.id = n.parent_id
    where n.id = any(${[...ids]}::bigint[]) and n.kind = 'group'`);
  return new Map(rows.map(({ id, ...state }) => [id, state]));
}

/** What hooks say of one group. */
export async function groupState(db: SqlExecutor, id: number): Promise<GroupState> {
  const state = (await groupStates(db, [id])).get(id);
  if (state === undefined) throw new Error(`there is no group ${id}`);
  return state;
}
