import type { SqlExecutor } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';

/** Notes that a user does not want to be notified of an issue or epic; nothing where it is gone. */
export async function endSubscription(
  tx: SqlExecutor,
  kind: 'issue' | 'epic',
  { id, userId }: { readonly id: number; readonly userId: number },
): Promise<void> {
  const [objects, subscriptions, objectId] = [raw(`${kind}s`), raw(`${kind}_subscriptions`), raw(`${kind}_id`)];
  await tx.query(sql`
    insert into ${subscriptions} (${objectId}, user_id, subscribed)
    select o.id, ${userId}, false from ${objects} o where o.id = ${id} for key share
    on conflict (${objectId}, user_id) do update set subscribed = false`);
}
