import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendAllToOutbox, tokenExpiringId, userEvents } from '@switchyard/events';
import { alive } from './personal-access-token.list';

interface Expiring {
  id: number;
  user_id: number;
  name: string;
  expires_at: string;
  project_id: number | null;
  namespace_id: number | null;
}

/**
 * Publishes `token_expiring` for tokens that end within `days` days, and marks them in the same transaction: a process
 * that dies publishes each once. Tokens that were made for `days` days or fewer are left out: their owners know. Service
 * accounts with a generated address have no one who reads mail.
 */
export const publishExpiring = (db: Database, days: number, limit: number): Promise<number> =>
  db.transaction(async (tx) => {
    const rows = await tx.query<Expiring>(sql`
      with due as (
        select t.id from personal_access_tokens t join users u on u.id = t.user_id
        where not t.revoked and not t.expiry_notified and t.expires_at is not null
          and t.expires_at <= (now() at time zone 'UTC')::date + ${days}::int and ${alive}
          and t.expires_at > (t.created_at at time zone 'UTC')::date + ${days}::int
          and t.kind <> 'impersonation' and (u.user_type <> 'service_account' or u.email not like u.username || '@noreply.%')
        order by t.expires_at, t.id limit ${limit} for update of t skip locked)
      update personal_access_tokens t set expiry_notified = true
      from due left join lateral (
        select b.project_id, b.namespace_id from personal_access_tokens d join access_token_bots b on b.user_id = d.user_id
        where d.id = due.id) as bot on true
      where t.id = due.id
      returning t.id, t.user_id, t.name, t.expires_at::text as expires_at, bot.project_id, bot.namespace_id`);
    const occurredAt = new Date();
    await appendAllToOutbox(
      tx,
      userEvents,
      rows.map((row) => ({
        id: tokenExpiringId(row.id),
        payload: {
          userId: row.user_id,
          actorId: 0,
          occurredAt,
          fact: {
            $case: 'tokenExpiring' as const,
            value: {
              tokenId: row.id,
              name: row.name,
              expiresAt: row.expires_at,
              projectId: row.project_id ?? 0,
              groupId: row.namespace_id ?? 0,
            },
          },
        },
      })),
    );
    return rows.length;
  });
