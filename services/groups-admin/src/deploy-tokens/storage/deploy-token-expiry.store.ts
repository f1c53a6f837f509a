import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendAllToOutbox, deployTokenExpiringId, userEvents } from '@switchyard/events';

interface Expiring {
  id: number;
  created_by_id: number;
  name: string;
  expires_at: Date;
  project_id: number | null;
  namespace_id: number | null;
}

/**
 * Publishes `deploy_token_expiring` for up to `limit` deploy tokens that end within `days` days, and marks them in the
 * same transaction: a process that dies publishes each once. Tokens that were made for `days` days or fewer are left
 * out: their makers know. Returns how many.
 */
export const publishExpiring = (db: Database, days: number, limit: number): Promise<number> =>
  db.transaction(async (tx) => {
    const rows = await tx.query<Expiring>(sql`
      with due as (
        select t.id from deploy_tokens t
        where not t.expiry_notified and t.expires_at > now() and t.expires_at <= now() + make_interval(days => ${days}::int)
          and t.expires_at > t.created_at + make_interval(days => ${days}::int)
        order by t.expires_at, t.id limit ${limit} for update skip locked)
      update deploy_tokens t set expiry_notified = true from due where t.id = due.id
      returning t.id, t.created_by_id, t.name, t.expires_at, t.project_id, t.namespace_id`);
    const occurredAt = new Date();
    await appendAllToOutbox(
      tx,
      userEvents,
      rows.map((row) => ({
        id: deployTokenExpiringId(row.id),
        payload: {
          userId: row.created_by_id,
          actorId: 0,
          occurredAt,
          fact: {
            $case: 'deployTokenExpiring' as const,
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
