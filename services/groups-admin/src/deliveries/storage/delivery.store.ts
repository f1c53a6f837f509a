import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import type { Change } from '../../changes';
import type { LeasedDelivery, LeasedOutcome, Outcome, Wanted } from '../domain/delivery';
import { titleOf } from '../domain/title';
import { type DeliveryRow, deliveryColumns, toDelivery } from './delivery.columns';
import { channel, keepContents } from './queue-deliveries';

/** Deliveries under way to one receiver, by all processes. */
const placesOfReceiver = 16;

/** Text that PostgreSQL can hold. */
const storable = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed();

/** Requests as JSON that PostgreSQL can hold: the escapes of NUL and of halves of characters are no text to it. */
function attemptsJson(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ delivery, attempts }) =>
    attempts.map((attempt) => ({
      ...attempt,
      deliveryId: delivery.id,
      targetKind: delivery.targetKind,
      targetId: delivery.targetId,
    })),
  );
  const json = JSON.stringify(rows);
  return /\\u(0000|d[89a-f])/.test(json)
    ? JSON.stringify(rows, (_key, value) => (typeof value === 'string' ? storable(value) : value))
    : json;
}

const attemptColumns = sql`delivery_id, target_kind, target_id, url, request_headers, request_body, response_status,
  response_headers, response_body, error, duration_ms, created_at`;

/** Rows for `attemptColumns`. */
const attemptsOf = (outcomes: readonly Outcome[]): Sql => sql`
  select "deliveryId", "targetKind", "targetId", url, "requestHeaders", "requestBody", "responseStatus", "responseHeaders",
    "responseBody", error, "durationMs", at
  from json_to_recordset(${attemptsJson(outcomes)}::json) as attempt ("deliveryId" bigint, "targetKind" text, "targetId" bigint,
    url text, "requestHeaders" jsonb, "requestBody" text, "responseStatus" int, "responseHeaders" jsonb, "responseBody" text,
    error text, "durationMs" int, at timestamptz)`;

/** Leases the first deliveries of due lanes: two statements. What another process works on is passed over. */
async function claim(tx: Tx, { limit, slow, now, until }: Wanted): Promise<LeasedDelivery[]> {
  const lease = randomUUID();
  // A lane that is locked is not waited for: whoever has it may wait for a row that this transaction has locked.
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
      select l.receiver, l.object_key, l.due_at from free cross join lateral (
        select l.receiver, l.object_key, l.due_at from delivery_lanes l
        where l.receiver = free.receiver and l.due_at <= ${now} order by l.due_at limit free.places) l
      order by l.due_at limit ${limit}),
    taken as (
      select l.receiver, l.object_key from delivery_lanes l join due using (receiver, object_key)
      where l.due_at <= ${now} for update of l skip locked)
    update delivery_lanes l set lease = ${lease}, due_at = ${until} from taken
    where l.receiver = taken.receiver and l.object_key = taken.object_key
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
}

/**
 * Records outcomes, and gives their lanes free, in one statement: a lane is deleted where it is empty once it is locked.
 * @returns those whose lease was not lost
 */
async function settle(tx: Tx, outcomes: readonly LeasedOutcome[], now: Date): Promise<LeasedOutcome[]> {
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
    error: error === undefined ? undefined : storable(error),
    retryAt,
  }));
  // What the lane counts is read under its lock: the snapshot of the statement may be older.
  const rows = await tx.query<{ id: number }>(
    named(
      'settle_deliveries',
      sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(lines)}::json) as given (id bigint, receiver text, "objectKey" text,
        lease text, fate text, rule text, "partsSent" int, tries int, "responseStatus" int, error text, "retryAt" timestamptz)),
    locked as (
      select given.*, l.waiting, given."retryAt" is null as ended from delivery_lanes l
      join given on given.receiver = l.receiver and given."objectKey" = l.object_key
      where l.lease = given.lease order by l.receiver, l.object_key for update of l),
    emptied as (
      delete from delivery_lanes l using locked
      where l.receiver = locked.receiver and l.object_key = locked."objectKey" and locked.ended and locked.waiting <= 1),
    freed as (
      update delivery_lanes l set lease = null, due_at = coalesce(locked."retryAt", ${now}::timestamptz),
        waiting = locked.waiting - case when locked.ended then 1 else 0 end
      from locked where l.receiver = locked.receiver and l.object_key = locked."objectKey"
        and not (locked.ended and locked.waiting <= 1)),
    settled as (
      update deliveries d set fate = locked.fate, rule = coalesce(locked.rule, d.rule), parts_sent = locked."partsSent",
        decision = case when locked.fate = 'skipped' then 'skipped' else d.decision end,
        attempts = d.attempts + locked.tries, response_status = locked."responseStatus", error = locked.error,
        finished_at = case when locked.ended then ${now}::timestamptz end
      from locked where d.id = locked.id),
    tried as (
      insert into delivery_attempts (${attemptColumns})
      select attempt.* from (${attemptsOf(outcomes)}) as attempt join locked on locked.id = attempt."deliveryId"),
    counted as (
      select receiver, count(*) as ended from locked where ended group by receiver order by receiver),
    fewer as (
      update delivery_receivers r set waiting = greatest(0, r.waiting - counted.ended) from counted
      where r.receiver = counted.receiver)
    select id from locked`,
    ),
  );
  const ids = new Set(rows.map(({ id }) => id));
  return outcomes.filter(({ delivery }) => ids.has(delivery.id));
}

/** The queue of deliveries in the database. */
export const deliveryStore = (db: Database) => ({
  exchange: (
    outcomes: readonly LeasedOutcome[],
    wanted: Wanted,
    also: (tx: Tx, recorded: readonly Outcome[]) => Promise<void>,
  ): Promise<LeasedDelivery[]> =>
    db.transaction(async (tx) => {
      if (outcomes.length > 0) {
        const recorded = await settle(tx, outcomes, wanted.now);
        if (recorded.length > 0) await also(tx, recorded);
      }
      return wanted.limit > 0 ? claim(tx, wanted) : [];
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
      await tx.query(
        named(
          'write_delivery_attempts',
          sql`insert into delivery_attempts (${attemptColumns}) ${attemptsOf(recorded)}`,
        ),
      );
      await also(tx, recorded);
      return row?.id ?? 0;
    }),

  onDeliveries: (wake: () => void): (() => void) => db.notices.listen(channel, wake),
});
