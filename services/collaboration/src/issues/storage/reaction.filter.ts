import { raw, type Sql, sql } from '@switchyard/database/sql';
import type { ReactionMatch } from '../domain/issue-filter';

/** The condition that a viewer reacted so with an object of a kind, whose id is `id`. */
export function reactedWith(kind: 'Issue' | 'Epic', id: Sql, match: ReactionMatch, viewerId: number): Sql {
  const reacted = (condition: Sql): Sql => sql`exists (select 1 from award_emoji ae
    where ae.awardable_type = ${raw(`'${kind}'`)} and ae.awardable_id = ${id} and ae.user_id = ${viewerId}::bigint and ${condition})`;
  if (match === 'none') return sql`not ${reacted(sql`true`)}`;
  return reacted(match === 'any' ? sql`true` : sql`ae.name = ${match.name}`);
}
