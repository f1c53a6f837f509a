import { randomUUID } from 'node:crypto';
import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Change } from '../../changes';
import type { LeasedDelivery, Outcome } from '../domain/delivery';
import { titleOf } from '../domain/title';
import { type DeliveryRow, deliveryColumns, toDelivery } from './delivery.columns';
import { channel, keepContents } from './queue-deliveries';

/** Deliveries under way to one receiver, by all processes. */
const placesOfReceiver = 16;

/** Text that PostgreSQL can hold. */
const storable = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed();

async function writeAttempts(tx: SqlExecutor, outcomes: readonly Outcome[]): Promise<void> {
  const rows = outcomes.flatMap(({ delivery, attempts }) =>
    attempts.map((attempt) => ({
      ...attempt,
      deliveryId: delivery.id,
      targetKind: delivery.targetKind,
      targetId: delivery.targetId,
    })),
  );
  if (rows.length === 0) return;
  // The escape of NUL is no text to PostgreSQL, so it is replaced before it is one.
  const json = storable(JSON.stringify(rows, (_key, value) => (typeof value === 'string' ? storable(value) : value)));
  await tx.query(
    named(
      'write_delivery_attempts',
      sql`
    insert into delivery_attempts (delivery_id, target_kind, target_id, url, request_headers, request_body, response_status,
      response_headers, response_body, error, duration_ms, created_at)
    select "deliveryId", "targetKind", "targetId", url, "requestHeaders", "requestBody", "responseStatus", "responseHeaders",
      "responseBody", error, "durationMs", at
    from json_to_recordset(${json}::json) as given ("deliveryId" bigint, "targetKind" text, "targetId" bigint, url text,
      "requestHeaders" jsonb, "requestBody" text, "responseStatus" int, "responseHeaders" jsonb, "responseBody" text,
      error text, "durationMs" int, at timestamptz)`,
    ),
  );
}

/** The queue of deliveries in the database. */
export const deliveryStore = (db: Database) => ({
  claim: ({
    limit,
    slow,
    now,
    until,
  }: {
    readonly limit: number;
    readonly slow: readonly string[];
    readonly now: Date;
    readonly until: Date;
  }): Promise<LeasedDelivery[]> =>
    db.transaction(async (tx) => {
      const lease = randomUUID();
      const lanes = await tx.query<{ receiver: string; object_key: string }>(
        named(
          'claim_delivery_lanes',
          sql`
        with free as (
          select r.receiver, greatest(0, case when r.receiver = any(${[...slow]}::text[]) then 1 else ${placesOfReceiver} end
            - (select count(*) from delivery_lanes l where l.receiver = r.receiver and l.lease is not null and l.due_at > ${now}))
            as places
          from delivery_receivers r where r.waiting > 0),
        due as (
          select l.receiver, l.object_key from free cross join lateral (
            select l.receiver, l.object_key, l.due_at from delivery_lanes l
            where l.receiver = free.receiver and l.due_at <= ${now} order by l.due_at limit free.places) l
          order by l.due_at limit ${limit})
        update delivery_lanes l set lease = ${lease}, due_at = ${until} from due
        where l.receiver = due.receiver and l.object_key = due.object_key and l.due_at <= ${now}
        returning l.receiver, l.object_key`,
        ),
      );
      if (lanes.length === 0) return [];
      // A statement of its own: the snapshot of the first may be older than what another process recorded of these lanes.
      const rows = await tx.query<DeliveryRow>(
        named(
          'first_deliveries_of_lanes',
          sql`
        select ${deliveryColumns}
        from unnest(${lanes.map(({ receiver }) => receiver)}::text[], ${lanes.map(({ object_key }) => object_key)}::text[])
          as lane (receiver, object_key)
        cross join lateral (
          select * from deliveries d where d.receiver = lane.receiver and d.object_key = lane.object_key
            and d.finished_at is null order by d.id limit 1) d
        left join delivery_contents c on c.id = d.content_id`,
        ),
      );
      return rows.map((row) => ({ ...toDelivery(row), lease }));
    }),

  settle: (
    outcomes: readonly (Outcome & { readonly lease: string })[],
    now: Date,
    also: (tx: Tx, recorded: readonly Outcome[]) => Promise<void>,
  ): Promise<void> =>
    db.transaction(async (tx) => {
      const lines = outcomes.map(({ delivery, lease, fate, rule, partsSent, responseStatus, error, retryAt }) => ({
        id: delivery.id,
        receiver: delivery.receiver,
        objectKey: delivery.objectKey,
        lease,
        fate,
        rule,
        partsSent,
        tries: fate === 'skipped' ? 0 : 1,
        responseStatus,
        error,
        retryAt,
      }));
      const given = sql`json_to_recordset(${JSON.stringify(lines)}::json) as given (id bigint, receiver text, "objectKey" text,
        lease text, fate text, rule text, "partsSent" int, tries int, "responseStatus" int, error text, "retryAt" timestamptz)`;
      const freed = await tx.query<{ id: number }>(
        named(
          'free_delivery_lanes',
          sql`
        with given as (select * from ${given}),
        locked as (
          select l.receiver, l.object_key from delivery_lanes l
          join given on given.receiver = l.receiver and given."objectKey" = l.object_key
          where l.lease = given.lease order by 1, 2 for update of l)
        update delivery_lanes l set lease = null, due_at = coalesce(given."retryAt", ${now}::timestamptz),
          waiting = l.waiting - case when given."retryAt" is null then 1 else 0 end
        from given join locked on locked.receiver = given.receiver and locked.object_key = given."objectKey"
        where l.receiver = given.receiver and l.object_key = given."objectKey" and l.lease = given.lease
        returning given.id`,
        ),
      );
      const ids = new Set(freed.map(({ id }) => id));
      const recorded = outcomes.filter(({ delivery }) => ids.has(delivery.id));
      if (recorded.length === 0) return;
      const own = [...ids];
      await tx.query(
        named(
          'settle_deliveries',
          sql`
        with given as (select * from ${given}),
        settled as (
          update deliveries d set fate = given.fate, rule = coalesce(given.rule, d.rule), parts_sent = given."partsSent",
            decision = case when given.fate = 'skipped' then 'skipped' else d.decision end,
            attempts = d.attempts + given.tries, response_status = given."responseStatus", error = given.error,
            finished_at = case when given."retryAt" is null then ${now}::timestamptz end
          from given where d.id = given.id and d.id = any(${own}::bigint[]) returning d.receiver, d.finished_at),
        emptied as (
          delete from delivery_lanes l using given
          where l.receiver = given.receiver and l.object_key = given."objectKey" and l.waiting <= 0 and l.lease is null
          returning 1),
        counted as (
          select receiver, count(*) as ended from settled where finished_at is not null group by receiver order by receiver)
        update delivery_receivers r set waiting = greatest(0, r.waiting - counted.ended) from counted where r.receiver = counted.receiver`,
        ),
      );
      await writeAttempts(tx, recorded);
      await also(tx, recorded);
    }),

  record: (
    outcome: Outcome,
    change: Change,
    now: Date,
    also: (tx: Tx, recorded: readonly Outcome[]) => Promise<void>,
  ) =>
    db.transaction(async (tx) => {
      const { delivery, fate, responseStatus, error } = outcome;
      const contentId = (await keepContents(tx, [change])).get(change.position);
      const row = await tx.one<{ id: number }>(sql`
        insert into deliveries (target_kind, target_id, receiver, object_key, content_id, idempotency_key, project_id, group_id,
          kind, action, actor_id, title, decision, rule, fate, attempts, manual, response_status, error, created_at, finished_at)
        values (${delivery.targetKind}, ${delivery.targetId}, ${delivery.receiver}, ${delivery.objectKey}, ${contentId},
          ${delivery.idempotencyKey}, ${delivery.projectId}, ${delivery.groupId}, ${delivery.kind}, ${delivery.action}, ${change.actorId},
          ${titleOf(change.body)}, 'queued', 'requested', ${fate}, 1, true, ${responseStatus ?? null}, ${error ?? null}, ${now}, ${now})
        returning id`);
      const recorded = [{ ...outcome, delivery: { ...delivery, id: row?.id ?? 0 } }];
      await writeAttempts(tx, recorded);
      await also(tx, recorded);
      return row?.id ?? 0;
    }),

  onDeliveries: (wake: () => void): (() => void) => db.notices.listen(channel, wake),
});
