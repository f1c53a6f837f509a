import type { Database, Tx } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';

/** Objects with subscriptions and participants, as the names of their tables and columns begin. */
export type Followed = 'issue' | 'epic';

/** Subscriptions to objects of a kind, as the ports of their stores describe them. */
export function subscriptionStore(db: Database, kind: Followed) {
  const objects = raw(`${kind}s`);
  const subscriptions = raw(`${kind}_subscriptions`);
  const participants = raw(`${kind}_participants`);
  const objectId = raw(`${kind}_id`);
  return {
    async isSubscribed(id: number, userId: number): Promise<boolean> {
      const row = await db.one<{ subscribed: boolean }>(sql`
        select coalesce(
          (select subscribed from ${subscriptions} where ${objectId} = ${id} and user_id = ${userId}),
          exists (select 1 from ${participants} where ${objectId} = ${id} and user_id = ${userId})) as subscribed`);
      return row?.subscribed ?? false;
    },

    async setSubscription(id: number, userId: number, subscribed: boolean): Promise<boolean> {
      // Decided by the row itself: of several concurrent requests, one changes it.
      const row = await db.one<{ alive: boolean; changed: boolean }>(sql`
        with object as (select id from ${objects} where id = ${id} for key share),
        said as (
          insert into ${subscriptions} as said (${objectId}, user_id, subscribed)
          select o.id, ${userId}, ${subscribed} from object o
          where exists (select 1 from ${subscriptions} where ${objectId} = o.id and user_id = ${userId})
            or exists (select 1 from ${participants} where ${objectId} = o.id and user_id = ${userId}) <> ${subscribed}::boolean
          on conflict (${objectId}, user_id) do update set subscribed = excluded.subscribed
          where said.subscribed <> excluded.subscribed returning 1)
        select exists (select 1 from object) as alive, exists (select 1 from said) as changed`);
      if (row?.alive !== true) throw notFound();
      return row.changed;
    },
  };
}

/** Users take part in an object from now on, with more than internal notes. */
export async function addParticipants(tx: Tx, kind: Followed, id: number, userIds: readonly number[]): Promise<void> {
  const known = [...new Set(userIds)].filter((userId) => userId > 0);
  if (known.length === 0) return;
  const [table, objectId] = [raw(`${kind}_participants`), raw(`${kind}_id`)];
  await tx.query(sql`
    insert into ${table} (${objectId}, user_id)
    select ${id}, user_id from unnest(${known}::bigint[]) as given (user_id)
    on conflict (${objectId}, user_id) do update set internal = false where ${table}.internal`);
}
