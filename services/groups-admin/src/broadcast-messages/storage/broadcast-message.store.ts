import { type Database, listPage, type PageInfo, type PageRequest, requireUnmodified } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { BroadcastMessageContent } from '../domain/broadcast-message';
import type { BroadcastMessageRow } from '../domain/broadcast-message-row';

const columns = sql`b.id, b.message, b.starts_at as "startsAt", b.ends_at as "endsAt", b.font,
  b.target_access_levels as "targetAccessLevels", b.target_path as "targetPath", b.broadcast_type as "broadcastType",
  b.dismissable, b.theme`;

const values = (content: BroadcastMessageContent) => sql`${content.message}, ${content.startsAt}::timestamptz,
  ${content.endsAt}::timestamptz, ${content.font}, ${[...content.targetAccessLevels]}::int[], ${content.targetPath},
  ${content.broadcastType}, ${content.dismissable}::boolean, ${content.theme}`;

const written = sql`message, starts_at, ends_at, font, target_access_levels, target_path, broadcast_type, dismissable, theme`;

/** Broadcast messages in the database; each change is one transaction. */
export const broadcastMessageStore = (db: Database) => ({
  /** A page of messages by their id: one statement and one count. */
  list: (request: PageRequest): Promise<{ rows: BroadcastMessageRow[]; page: PageInfo }> =>
    listPage<BroadcastMessageRow>({
      db,
      name: 'list_broadcast_messages',
      select: columns,
      from: sql`broadcast_messages b`,
      where: [],
      orders: { id: [{ name: 'id', expression: sql`b.id`, type: 'bigint' }] },
      request,
      count: true,
    }),

  find: (id: number): Promise<BroadcastMessageRow | undefined> =>
    db.one(sql`select ${columns} from broadcast_messages b where b.id = ${id}`),

  async create(content: BroadcastMessageContent): Promise<BroadcastMessageRow> {
    const row = await db.one<BroadcastMessageRow>(sql`
      insert into broadcast_messages as b (${written}) values (${values(content)}) returning ${columns}`);
    if (row === undefined) throw new Error('a broadcast message was not inserted');
    return row;
  },

  change: (
    id: number,
    decide: (message: BroadcastMessageRow) => BroadcastMessageContent,
  ): Promise<BroadcastMessageRow | undefined> =>
    db.transaction(async (tx) => {
      const message = await tx.one<BroadcastMessageRow>(
        sql`select ${columns} from broadcast_messages b where b.id = ${id} for no key update`,
      );
      if (message === undefined) return undefined;
      return tx.one<BroadcastMessageRow>(sql`
        update broadcast_messages b set (${written}, updated_at) = row(${values(decide(message))}, now())
        where b.id = ${id} returning ${columns}`);
    }),

  remove: (id: number, unmodifiedSince: Date | undefined): Promise<boolean> =>
    db.transaction(async (tx) => {
      await requireUnmodified(tx, 'broadcast_messages', id, unmodifiedSince);
      const removed = await tx.query(sql`delete from broadcast_messages where id = ${id} returning id`);
      return removed.length > 0;
    }),
});
