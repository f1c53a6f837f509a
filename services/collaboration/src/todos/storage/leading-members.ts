import type { SqlExecutor } from '@switchyard/database';
import { membersAtLevel } from '@switchyard/directory';
import type { Raise } from '../domain/todo';
import type { MembershipHistory } from './membership-history';

/** Members that one event notifies by their level, the oldest users: keeps its transaction short. */
const maxMembers = 1_000;

/**
 * The members of a project whom `raise` addresses by their least access level, by that level: active users, with the
 * members of the groups above, at most 1,000. One statement for each level, and for past ones a second.
 * @param then asks for those who had the level at that time and are members now; default: those who have it now
 */
export async function leadingMembers(
  tx: SqlExecutor,
  projectId: number,
  raise: readonly Raise[],
  then?: { readonly members: MembershipHistory; readonly at: Date },
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, readonly number[]>();
  for (const { to } of raise) {
    if (!('membersFrom' in to)) continue;
    const ids = await membersAtLevel(tx, projectId, then === undefined ? to.membersFrom : 0);
    const levels = await then?.members.levels(tx, projectId, ids, then.at);
    const leading = levels === undefined ? ids : ids.filter((id) => (levels.get(id) ?? 0) >= to.membersFrom);
    found.set(to.membersFrom, leading.slice(0, maxMembers));
  }
  return found;
}
