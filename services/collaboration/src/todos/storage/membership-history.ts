import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { inForce } from '@switchyard/directory';
import { levels } from '@switchyard/rights';

/**
 * Who was a member at a given time, as far as it is known: from the current memberships and a table of their changes,
 * whose rows are `membership_id, changed_at, level_before`. A project is taken to have lain in the groups where it
 * lies.
 */
export interface MembershipHistory {
  /** Level of the membership `m` at a given time; 0 before it began. */
  levelAt(at: Date): Sql;
  /** The level of those of `userIds` who were members of a project; others are left out. One statement. */
  levels(
    tx: SqlExecutor,
    projectId: number,
    userIds: readonly number[],
    at: Date,
  ): Promise<ReadonlyMap<number, number>>;
}

/** Opens the history in `changes`. */
export function membershipHistory(changes: Sql): MembershipHistory {
  // A change at the same time may have come first: it makes no one a member.
  const levelAt = (at: Date): Sql => sql`coalesce((
    select h.level_before from ${changes} h where h.membership_id = m.id and h.changed_at >= ${at}::timestamptz
    order by h.changed_at limit 1), m.access_level)`;
  return {
    levelAt,

    async levels(tx, projectId, userIds, at) {
      if (userIds.length === 0) return new Map();
      const rows = await tx.query<{ id: number; level: number }>(sql`
        select asked.id, max(case when n.owner_id = asked.id then ${levels.owner}::int else ${levelAt(at)} end)::int as level
        from unnest(${[...userIds]}::bigint[]) as asked (id)
        join directory.projects p on p.id = ${projectId} join directory.namespaces n on n.id = p.namespace_id
        left join directory.memberships m on m.user_id = asked.id and ${inForce(sql`m`)}
          and (m.project_id = p.id or m.namespace_id = any(n.ancestry))
        where m.id is not null or n.owner_id = asked.id
        group by asked.id`);
      return new Map(rows.map(({ id, level }) => [id, level]));
    },
  };
}
