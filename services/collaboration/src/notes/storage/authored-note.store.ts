import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { AuthoredNote, GivenAward } from '../domain/authored-note';
import type { Awardable } from '../domain/award-emoji';

const key = sql`o.kind, o.project_id as "projectId", o.target_id as "targetId", o.sha`;

/** Notes and reactions by their author. */
export const authoredNoteStore = (db: Database) => ({
  notes: (userId: number, after: number, limit: number): Promise<AuthoredNote[]> =>
    db.query(sql`
      select n.id, ${key} from notes n join noteables o on o.id = n.noteable_id and o.removed_at is null
      where n.author_id = ${userId} and not n.system and n.id > ${after} order by n.id limit ${limit}`),

  async awards(userId: number, after: number, limit: number): Promise<GivenAward[]> {
    const rows = await db.query<AuthoredNote & { type: Awardable['type']; on: number }>(sql`
      select a.id, a.awardable_type as type, a.awardable_id as on, ${key}
      from award_emoji a
      left join notes n on a.awardable_type = 'Note' and n.id = a.awardable_id
      join noteables o on o.removed_at is null
        and case when a.awardable_type = 'Note' then o.id = n.noteable_id
          else o.kind = a.awardable_type and o.target_id = a.awardable_id end
      where a.user_id = ${userId} and a.id > ${after} order by a.id limit ${limit}`);
    return rows.map(({ type, on, ...row }) => ({ ...row, awardable: { type, id: on } }));
  },
});
