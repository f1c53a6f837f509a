import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';

/** A line of the ledger. */
export interface DeliveryEntryRow {
  readonly id: number;
  readonly createdAt: Date;
  readonly event: string;
  readonly action: string;
  readonly objectKey: string;
  readonly target: string;
  readonly receiverKind: string;
  readonly receiverId: number;
  readonly receiver: string;
  readonly decision: string;
  readonly rule: string;
  readonly fate: string;
  readonly attempts: number;
  readonly responseStatus: number | null;
  readonly error: string | null;
}

/** Which lines: those of a project, or of a group. */
export interface DeliveryEntryFilter {
  readonly projectId: number;
  readonly groupId: number;
  readonly objectKey: string | undefined;
  readonly actorId: number | undefined;
  readonly before: { readonly createdAt: Date; readonly id: number } | undefined;
  readonly limit: number;
}

/** Lines of the ledger, the newest first: one statement. */
export const listDeliveryEntries = (db: Database, filter: DeliveryEntryFilter): Promise<DeliveryEntryRow[]> => {
  const { projectId, groupId, objectKey, actorId, before, limit } = filter;
  return db.query<DeliveryEntryRow>(
    named(
      'list_delivery_entries',
      sql`
    select d.id, d.created_at as "createdAt", d.kind as event, d.action, d.object_key as "objectKey", d.title as target,
      d.target_kind as "receiverKind", d.target_id as "receiverId", d.receiver, d.decision, d.rule, d.fate, d.attempts,
      d.response_status as "responseStatus", d.error
    from deliveries d
    where ${projectId > 0 ? sql`d.project_id > 0 and d.project_id = ${projectId}` : sql`d.group_id > 0 and d.group_id = ${groupId}`}
      ${objectKey === undefined ? sql`` : sql`and d.object_key = ${objectKey}`}
      ${actorId === undefined ? sql`` : sql`and d.actor_id = ${actorId}`}
      ${before === undefined ? sql`` : sql`and (d.created_at, d.id) < (${before.createdAt}, ${before.id})`}
    order by d.created_at desc, d.id desc limit ${limit}`,
    ),
  );
};
