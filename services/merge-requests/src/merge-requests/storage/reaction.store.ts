import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import type { Reaction, ReactionChange } from '../domain/reactions';

const rowsOf = (reactions: readonly Reaction[]): Sql => sql`
  select * from unnest(${reactions.map(({ userId }) => userId)}::bigint[], ${reactions.map(({ name }) => name)}::text[])`;

/**
 * Keeps who reacted to a merge request with what, which its lists are narrowed by (D4). Nothing happens for a merge
 * request that is gone.
 */
export async function keepReactions(
  tx: SqlExecutor,
  { mergeRequestId, version, given, taken }: ReactionChange,
): Promise<void> {
  if (taken === 'others') {
    await tx.query(sql`
      update merge_request_reactions r set given = false, version = ${version}
      where r.merge_request_id = ${mergeRequestId} and r.version < ${version} and r.given
        and not exists (select from (${rowsOf(given)}) as kept (user_id, name) where kept.user_id = r.user_id and kept.name = r.name)`);
  }
  for (const [reactions, isGiven] of [
    [given, true],
    [taken === 'others' ? [] : taken, false],
  ] as const) {
    if (reactions.length === 0) continue;
    await tx.query(sql`
      insert into merge_request_reactions as r (merge_request_id, user_id, name, given, version)
      select mr.id, one.user_id, one.name, ${isGiven}, ${version}
      from merge_requests mr, (${rowsOf(reactions)}) as one (user_id, name) where mr.id = ${mergeRequestId}
      on conflict (merge_request_id, user_id, name) do update set given = excluded.given, version = excluded.version
      where r.version < excluded.version`);
  }
}
