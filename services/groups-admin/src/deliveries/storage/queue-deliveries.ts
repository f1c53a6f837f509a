import type { Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { Change } from '../../changes';
import type { NewDelivery } from '../domain/delivery';
import { titleOf } from '../domain/title';

faultPoints.push('delivery.queued');

/** Its notices wake those who send deliveries, in all processes. */
export const channel = 'switchyard_deliveries';

/** Deliveries that may wait for one receiver, and for all of them; more are skipped, and the ledger says so. */
const mostWaiting = { ofReceiver: 10_000, ofInstance: 500_000 };

/** Keeps what is delivered; a change that is kept already is not kept twice. Returns ids by position. */
export async function keepContents(tx: Tx, changes: readonly Change[]): Promise<ReadonlyMap<number, number>> {
  const rows = await tx.query<{ id: number; position: number }>(
    named(
      'keep_delivery_contents',
      sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(changes)}::json) as given (
        position bigint, "eventId" text, kind text, action text, confidential boolean, "projectId" bigint,
        "groupId" bigint, ref text, "objectKey" text, "actorId" bigint, "occurredAt" timestamptz, body text)),
    kept as (
      insert into delivery_contents (position, event_id, kind, action, confidential, project_id, group_id, ref, object_key,
        actor_id, occurred_at, body)
      select nullif(position, 0), "eventId", kind, action, confidential, "projectId", "groupId", ref, "objectKey", "actorId",
        "occurredAt", body
      from given order by position on conflict (position) where position is not null do nothing
      returning id, coalesce(position, 0) as position)
    select id, position from kept
    union all
    select c.id, c.position from delivery_contents c where c.position = any(${changes.map(({ position }) => position)}::bigint[])`,
    ),
  );
  return new Map(rows.map(({ id, position }) => [position, id]));
}

/** Receivers for which no more may wait, and whether that holds for all. */
async function fullQueues(tx: Tx, receivers: readonly string[]): Promise<{ full: Set<string>; all: boolean }> {
  const rows = await tx.query<{ receiver: string | null; waiting: number }>(
    named(
      'full_delivery_queues',
      sql`
    select receiver, waiting from delivery_receivers where receiver = any(${[...receivers]}::text[]) and waiting >= ${mostWaiting.ofReceiver}
    union all
    select null, coalesce(sum(waiting), 0)::bigint from delivery_receivers`,
    ),
  );
  const total = rows.find(({ receiver }) => receiver === null)?.waiting ?? 0;
  return {
    full: new Set(rows.flatMap(({ receiver }) => receiver ?? [])),
    all: total >= mostWaiting.ofInstance,
  };
}

/**
 * Queues deliveries of changes, and writes the ledger's lines of those that are not sent, in the transaction that gives
 * the changes their places: three statements, whatever their number. One that has the receiver and idempotency key of
 * an earlier one is left out.
 * @param changes at least those that the rows name by their place
 */
export async function queueDeliveries(tx: Tx, changes: readonly Change[], rows: readonly NewDelivery[]): Promise<void> {
  if (rows.length === 0) return;
  const byPosition = new Map(changes.map((change) => [change.position, change]));
  const delivered = [...new Set(rows.map(({ changePosition }) => changePosition))].flatMap(
    (position) => byPosition.get(position) ?? [],
  );
  const contents = await keepContents(tx, delivered);
  const titles = new Map(delivered.map(({ position, body }) => [position, titleOf(body)]));
  const { full, all } = await fullQueues(tx, [...new Set(rows.map(({ receiver }) => receiver))]);
  const lines = rows.map((row) => {
    const change = byPosition.get(row.changePosition);
    const contentId = contents.get(row.changePosition);
    if (change === undefined || contentId === undefined) throw new Error(`no change at ${row.changePosition}`);
    const isFull = row.decision === 'queued' && (all || full.has(row.receiver));
    return {
      ...row,
      decision: isFull ? 'skipped' : row.decision,
      rule: isFull ? 'queue_full' : row.rule,
      contentId,
      kind: change.kind,
      action: change.action,
      actorId: change.actorId,
      title: titles.get(row.changePosition) ?? '',
    };
  });
  // Due some seconds ago, so that a process whose clock is late does not wait.
  // Lanes and receivers are locked in one order, so that two transactions never wait for each other.
  await tx.query(
    named(
      'queue_deliveries',
      sql`
    with given as (
      select *, row_number() over () as place from json_to_recordset(${JSON.stringify(lines)}::json) as given (
        "targetKind" text, "targetId" bigint, receiver text, "objectKey" text, "contentId" bigint, "idempotencyKey" text,
        "projectId" bigint, "groupId" bigint, kind text, action text, "actorId" bigint, title text,
        decision text, rule text)),
    written as (
      insert into deliveries (target_kind, target_id, receiver, object_key, content_id, idempotency_key, project_id, group_id,
        kind, action, actor_id, title, decision, rule, fate, finished_at)
      select "targetKind", "targetId", receiver, "objectKey", "contentId", "idempotencyKey", "projectId", "groupId",
        kind, action, "actorId", title, decision, rule, decision, case when decision = 'skipped' then now() end
      from given order by place
      on conflict (receiver, idempotency_key) where not manual do nothing
      returning receiver, object_key, fate),
    lanes as (
      insert into delivery_lanes as l (receiver, object_key, waiting, due_at)
      select receiver, object_key, count(*), now() - interval '10 seconds' from written where fate = 'queued' group by 1, 2 order by 1, 2
      on conflict (receiver, object_key) do update set waiting = l.waiting + excluded.waiting
      returning 1)
    insert into delivery_receivers as r (receiver, waiting)
    select receiver, count(*) from written where fate = 'queued' and (select count(*) from lanes) > 0
    group by 1 order by 1
    on conflict (receiver) do update set waiting = r.waiting + excluded.waiting`,
    ),
  );
  tx.notify(channel);
  tx.afterCommit(() => faultPoint('delivery.queued'));
}
