import { sql } from '@switchyard/database/sql';
import type { Change } from '../../changes';
import type { DeliveryWithChange, TargetKind } from '../domain/delivery';

/** A row of `deliveries` with its content. */
export interface DeliveryRow {
  readonly id: number;
  readonly target_kind: TargetKind;
  readonly target_id: number;
  readonly receiver: string;
  readonly object_key: string;
  readonly idempotency_key: string;
  readonly project_id: number;
  readonly group_id: number;
  readonly kind: string;
  readonly action: string;
  readonly attempts: number;
  readonly parts_sent: number;
  readonly position: number | null;
  readonly event_id: string;
  readonly confidential: boolean;
  readonly change_project_id: number;
  readonly change_group_id: number;
  readonly ref: string;
  readonly actor_id: number;
  readonly occurred_at: Date;
  /** Null once the content is pruned, and with it all that belongs to it. */
  readonly body: string | null;
}

/** Columns of `DeliveryRow`, on the aliases `d` of deliveries and `c` of their contents. */
export const deliveryColumns = sql`d.id, d.target_kind, d.target_id, d.receiver, d.object_key, d.idempotency_key,
  d.project_id, d.group_id, d.kind, d.action, d.attempts, d.parts_sent, c.position, c.event_id, c.confidential,
  c.project_id as change_project_id, c.group_id as change_group_id, c.ref, c.actor_id, c.occurred_at, c.body`;

const toChange = (row: DeliveryRow): Change | undefined =>
  row.body === null
    ? undefined
    : {
        position: row.position ?? 0,
        kind: row.kind,
        action: row.action,
        confidential: row.confidential,
        projectId: row.change_project_id,
        groupId: row.change_group_id,
        ref: row.ref,
        objectKey: row.object_key,
        actorId: row.actor_id,
        occurredAt: row.occurred_at,
        body: row.body,
        eventId: row.event_id,
      };

/** The delivery of a row with its change. */
export const toDelivery = (row: DeliveryRow): DeliveryWithChange => ({
  delivery: {
    id: row.id,
    targetKind: row.target_kind,
    targetId: row.target_id,
    receiver: row.receiver,
    objectKey: row.object_key,
    idempotencyKey: row.idempotency_key,
    projectId: row.project_id,
    groupId: row.group_id,
    kind: row.kind,
    action: row.action,
    attempts: row.attempts,
    partsSent: row.parts_sent,
    isRequested: false,
  },
  change: toChange(row),
});
