import { type Database, listPage, type PageRequest, type SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import type { Awardable, AwardRow } from '../domain/award-emoji';

const columns = sql`a.id, a.name, a.user_id as awarder_id, a.awardable_type, a.awardable_id, a.created_at, a.updated_at, ${userColumns('giver')}`;
const from = sql`award_emoji a ${userJoin('giver', sql`a.user_id`)}`;

const rowOf = (row: Record<string, unknown>): AwardRow => ({
  id: row.id as number,
  name: row.name as string,
  userId: row.awarder_id as number,
  user: userOf(row, 'giver'),
  awardable: { type: row.awardable_type as Awardable['type'], id: row.awardable_id as number },
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});

const of = ({ type, id }: Awardable) => sql`a.awardable_type = ${type} and a.awardable_id = ${id}`;

/** Opens the store. */
export function awardStore(db: Database) {
  return {
    async page(awardable: Awardable, request: PageRequest) {
      const { rows, page } = await listPage({
        db,
        name: 'list_award_emoji',
        select: columns,
        from,
        countFrom: sql`award_emoji a`,
        where: [of(awardable)],
        orders: { id: [{ name: 'id', expression: sql`a.id`, type: 'bigint' }] },
        request,
        count: true,
      });
      return { rows: rows.map(rowOf), page };
    },

    async find(awardable: Awardable, id: number, executor: SqlExecutor = db) {
      const [row] = await executor.query<Record<string, unknown>>(
        sql`select ${columns} from ${from} where a.id = ${id} and ${of(awardable)}`,
      );
      return row === undefined ? undefined : rowOf(row);
    },

    async give(tx: SqlExecutor, { type, id }: Awardable, userId: number, name: string, at: Date) {
      const [row] = await tx.query<{ id: number }>(sql`
        insert into award_emoji (awardable_type, awardable_id, name, user_id, created_at, updated_at)
        values (${type}, ${id}, ${name}, ${userId}, ${at}, ${at})
        on conflict (awardable_type, awardable_id, name, user_id) do nothing returning id`);
      return row?.id;
    },

    async take(tx: SqlExecutor, id: number) {
      return (await tx.query(sql`delete from award_emoji where id = ${id} returning 1`)).length > 0;
    },
  };
}
