import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { memberNamespaces, usersWhoSeeGroup, type Viewer, visibleNamespaces } from '@switchyard/directory';
import { levels } from '@switchyard/rights';

/** Epics `e` with their groups `n`. */
export const epicFrom: Sql = sql`epics e join directory.namespaces n on n.id = e.group_id`;

/** Whether the viewer may change the epics of the group `n`. */
export const editableEpics = (viewer: Viewer): Sql =>
  viewer.admin ? sql`true` : memberNamespaces(viewer, levels.planner);

/** Epics that a viewer may see, wherever they lie: a condition on the aliases of `epicFrom`. */
export const visibleEpics = (viewer: Viewer): Sql =>
  sql`(${visibleNamespaces(viewer)} and (not e.confidential or ${editableEpics(viewer)}))`;

/** Those of `userIds` who may read an epic. */
export const epicReaders = (
  tx: SqlExecutor,
  { groupId, confidential }: { readonly groupId: number; readonly confidential: boolean },
  userIds: readonly number[],
): Promise<number[]> => usersWhoSeeGroup(tx, groupId, userIds, confidential ? levels.planner : 0);

/** Those of `userIds` who may read the epic with an id, as it is now; none of one that is gone. */
export async function readersOfEpic(
  tx: SqlExecutor,
  { id }: { readonly id: number },
  userIds: readonly number[],
): Promise<number[]> {
  const [epic] = await tx.query<{ groupId: number; confidential: boolean }>(
    sql`select group_id as "groupId", confidential from epics where id = ${id}`,
  );
  return epic === undefined ? [] : epicReaders(tx, epic, userIds);
}
