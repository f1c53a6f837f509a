import { type Database, listPage, type PageRequest, type SqlExecutor, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import { notFound } from '@switchyard/errors';
import type { Noteable } from '../../noteables';
import type { AwardDecision, AwardStep } from '../domain/award-change';
import type { Awardable, AwardRow } from '../domain/award-emoji';
import { changeNoteable, type NoteableChangeEdges } from './noteable-change';

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

async function find(db: SqlExecutor, awardable: Awardable, id: number): Promise<AwardRow | undefined> {
  const [row] = await db.query<Record<string, unknown>>(
    sql`select ${columns} from ${from} where a.id = ${id} and ${of(awardable)}`,
  );
  return row === undefined ? undefined : rowOf(row);
}

async function give(tx: Tx, { awardable, userId, name, at }: Extract<AwardStep, { kind: 'give' }>): Promise<AwardRow> {
  const { type, id } = awardable;
  const row = await tx.one<{ id: number }>(sql`
    insert into award_emoji (awardable_type, awardable_id, name, user_id, created_at, updated_at)
    values (${type}, ${id}, ${name}, ${userId}, ${at}, ${at})
    on conflict (awardable_type, awardable_id, name, user_id) do nothing returning id`);
  const award = row && (await find(tx, awardable, row.id));
  if (award === undefined) throw notFound('Award Emoji Name has already been taken');
  return award;
}

async function save(tx: Tx, step: AwardStep): Promise<AwardRow> {
  if (step.kind === 'give') return give(tx, step);
  await tx.query(sql`delete from award_emoji where id = ${step.award.id}`);
  return step.award;
}

/** Reads reactions. */
export const awardList = (db: Database) => ({
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

  find: (awardable: Awardable, id: number) => find(db, awardable, id),
});

/** Opens the store of reactions. */
export const awardStore = (edges: NoteableChangeEdges) => ({
  change: (
    noteable: Noteable,
    actorId: number,
    { awardable, id }: { readonly awardable: Awardable; readonly id?: number },
    decide: (award: AwardRow | undefined, now: Date) => AwardDecision,
  ): Promise<AwardRow> =>
    changeNoteable(edges, noteable, actorId, async (tx, _row, now) => {
      const { step, counters } = decide(id === undefined ? undefined : await find(tx, awardable, id), now);
      const award = await save(tx, step);
      const noteId = awardable.type === 'Note' ? awardable.id : 0;
      return {
        result: award,
        counters,
        fact: {
          $case: 'reacted',
          value: { noteId, name: award.name, given: step.kind === 'give', userId: award.userId },
        },
      };
    }),
});
