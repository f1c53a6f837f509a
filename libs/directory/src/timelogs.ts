import { type Database, listPage, type PageInfo, type PageRequest, type SqlExecutor } from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import { type UserReference, type UserRow, userColumns, userJoin, userOf, userReference } from './users';

/** Time spent that is to be logged. */
interface NewTimelog {
  /** Negative where time was subtracted. */
  readonly seconds: number;
  /** The day of the work, `YYYY-MM-DD`; undefined: now. */
  readonly spentAt: string | undefined;
  readonly summary: string | undefined;
  /** The note whose quick action it was. */
  readonly noteId?: number | undefined;
}

/** Time spent as an archive says it. */
export interface ImportedTimelog extends Pick<Timelog, 'userId' | 'seconds' | 'spentAt' | 'summary' | 'createdAt'> {}

/** An entry of time spent on an issue or a merge request. It never changes. */
export interface Timelog {
  readonly id: number;
  readonly userId: number;
  readonly user: UserRow | undefined;
  /** Negative where time was subtracted. */
  readonly seconds: number;
  readonly spentAt: Date;
  readonly summary: string | undefined;
  /** The note whose quick action it was; it may be deleted. */
  readonly noteId: number | undefined;
  readonly createdAt: Date;
}

/** Writes and reads entries of time of one service. */
export interface TimelogStore {
  /** Logs what a change adds to the time spent, in its transaction. */
  record(tx: SqlExecutor, ownerId: number, userId: number, logs: readonly NewTimelog[]): Promise<void>;
  /** Adds entries of archives, in the transaction that adds what they are of. */
  bringIn(tx: SqlExecutor, entries: readonly (ImportedTimelog & { readonly ownerId: number })[]): Promise<void>;
  /** Deletes an entry, in the transaction that takes it from the time spent; false when it is gone. */
  remove(tx: SqlExecutor, ownerId: number, id: number): Promise<boolean>;
  /** Gives the entries of an issue or merge request to another one as well, without the notes they came from. */
  copy(tx: SqlExecutor, fromId: number, toId: number): Promise<void>;
  /** One page, the latest day first. */
  page(db: Database, ownerId: number, request: PageRequest): Promise<{ rows: Timelog[]; page: PageInfo }>;
  /** One entry; undefined when it is none of this owner. */
  find(db: SqlExecutor, ownerId: number, id: number): Promise<Timelog | undefined>;
}

/**
 * The table `timelogs` of a service: what each change added to `total_time_spent`, written in the transaction of the
 * change. Time that was spent before the table was there has no entry.
 * @param owner column that names the issue or merge request
 */
export function timelogStore(owner: Sql): TimelogStore {
  const select = sql`t.id, t.user_id, t.time_spent, t.spent_at, t.summary, t.note_id, t.created_at, ${userColumns('spender')}`;
  const from = sql`timelogs t ${userJoin('spender', sql`t.user_id`)}`;
  const toTimelog = (row: Record<string, unknown>): Timelog => ({
    id: row.id as number,
    userId: row.user_id as number,
    user: userOf(row, 'spender'),
    seconds: row.time_spent as number,
    spentAt: row.spent_at as Date,
    summary: (row.summary as string | null) ?? undefined,
    noteId: (row.note_id as number | null) ?? undefined,
    createdAt: row.created_at as Date,
  });
  return {
    async record(tx, ownerId, userId, logs) {
      if (logs.length === 0) return;
      await tx.query(sql`
        insert into timelogs (${owner}, user_id, time_spent, spent_at, summary, note_id) values ${join(
          logs.map(
            ({ seconds, spentAt, summary, noteId }) =>
              sql`(${ownerId}, ${userId}, ${seconds}, coalesce(${spentAt === undefined ? null : `${spentAt}T00:00:00Z`}::timestamptz, now()), ${summary ?? null}, ${noteId ?? null})`,
          ),
          ', ',
        )}`);
    },

    async bringIn(tx, entries) {
      if (entries.length === 0) return;
      const column = <T>(read: (entry: (typeof entries)[number]) => T): T[] => entries.map(read);
      await tx.query(sql`
        insert into timelogs (${owner}, user_id, time_spent, spent_at, summary, created_at)
        select owner, user_id, seconds, spent_at, summary, created_at
        from unnest(${column(({ ownerId }) => ownerId)}::bigint[], ${column(({ userId }) => userId)}::bigint[],
          ${column(({ seconds }) => seconds)}::bigint[], ${column(({ spentAt }) => spentAt)}::timestamptz[],
          ${column(({ summary }) => summary ?? null)}::text[], ${column(({ createdAt }) => createdAt)}::timestamptz[])
          with ordinality as given (owner, user_id, seconds, spent_at, summary, created_at, place) order by place`);
    },

    async remove(tx, ownerId, id) {
      const gone = await tx.query(sql`delete from timelogs where id = ${id} and ${owner} = ${ownerId} returning 1`);
      return gone.length > 0;
    },

    async copy(tx, fromId, toId) {
      await tx.query(sql`
        insert into timelogs (${owner}, user_id, time_spent, spent_at, summary, created_at)
        select ${toId}, user_id, time_spent, spent_at, summary, created_at from timelogs where ${owner} = ${fromId} order by id`);
    },

    async page(db, ownerId, request) {
      const { rows, page } = await listPage({
        db,
        name: 'list_timelogs',
        select,
        from,
        countFrom: sql`timelogs t`,
        where: [sql`t.${owner} = ${ownerId}`],
        orders: {
          spent_at: [
            { name: 'spent_at', expression: sql`t.spent_at`, type: 'timestamptz' },
            { name: 'id', expression: sql`t.id`, type: 'bigint' },
          ],
        },
        request,
        count: true,
      });
      return { rows: rows.map(toTimelog), page };
    },

    async find(db, ownerId, id) {
      const [row] = await db.query<Record<string, unknown>>(
        sql`select ${select} from ${from} where t.id = ${id} and t.${owner} = ${ownerId}`,
      );
      return row === undefined ? undefined : toTimelog(row);
    },
  };
}

/** Whether someone may delete an entry: who spent the time, and Maintainers. */
export const mayDeleteTimelog = (
  { userId, admin, level }: { readonly userId: number; readonly admin: boolean; readonly level: number },
  log: Pick<Timelog, 'userId'>,
): boolean => admin || level >= levels.maintainer || (userId > 0 && log.userId === userId);

/** The public entry. */
export const timelog = ({ id, user, seconds, spentAt, summary, noteId, createdAt }: Timelog, externalUrl: string) => ({
  id,
  user: user === undefined ? null : (userReference(user, externalUrl) satisfies UserReference),
  time_spent: seconds,
  spent_at: spentAt.toISOString(),
  summary: summary ?? null,
  note_id: noteId ?? null,
  created_at: createdAt.toISOString(),
});
