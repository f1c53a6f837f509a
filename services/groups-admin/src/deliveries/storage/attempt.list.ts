import { type Database, listPage, type PageInfo, type PageRequest } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import type { DeliveryWithChange, TargetKind } from '../domain/delivery';
import { type DeliveryRow, deliveryColumns, toDelivery } from './delivery.columns';

/** A recent request with what came back. */
export interface AttemptRow {
  readonly id: number;
  readonly kind: string;
  readonly url: string;
  readonly requestHeaders: Record<string, string>;
  readonly requestBody: string;
  readonly idempotencyKey: string;
  readonly responseStatus: number | null;
  readonly responseHeaders: Record<string, string>;
  readonly responseBody: string;
  readonly error: string | null;
  readonly durationMs: number;
  readonly createdAt: Date;
}

/** Which requests: by status of the answer, `successful`, `client_failure`, `server_failure` or `internal_failure` (no answer). */
export interface AttemptFilter {
  readonly statuses: readonly string[];
}

/** Days for which requests are shown (G-6-6). */
export const shownDays = 2;

const inClass = (name: string): Sql => {
  switch (name) {
    case 'successful':
      return sql`a.response_status between 200 and 299`;
    case 'client_failure':
      return sql`a.response_status between 400 and 499`;
    case 'server_failure':
      return sql`a.response_status between 500 and 599`;
    case 'internal_failure':
      return sql`a.response_status is null`;
    default:
      return /^\d{3}$/.test(name) ? sql`a.response_status = ${Number(name)}` : sql`false`;
  }
};

/** A page of the recent requests to a target, the newest first: one statement and one count. */
export const listAttempts = (
  db: Database,
  target: { readonly kind: TargetKind; readonly id: number },
  { statuses }: AttemptFilter,
  now: Date,
  request: PageRequest,
): Promise<{ rows: AttemptRow[]; page: PageInfo }> =>
  listPage<AttemptRow>({
    db,
    name: 'list_delivery_attempts',
    select: sql`a.id, d.kind, a.url, a.request_headers as "requestHeaders", a.request_body as "requestBody",
      d.idempotency_key as "idempotencyKey", a.response_status as "responseStatus", a.response_headers as "responseHeaders",
      a.response_body as "responseBody", a.error, a.duration_ms as "durationMs", a.created_at as "createdAt"`,
    from: sql`delivery_attempts a join deliveries d on d.id = a.delivery_id`,
    countFrom: sql`delivery_attempts a`,
    where: [
      sql`a.target_kind = ${target.kind} and a.target_id = ${target.id}`,
      sql`a.created_at > ${now}::timestamptz - make_interval(days => ${shownDays})`,
      ...(statuses.length === 0 ? [] : [sql`(${statuses.map(inClass).reduce((all, one) => sql`${all} or ${one}`)})`]),
    ],
    orders: { id: [{ name: 'id', expression: sql`a.id`, type: 'bigint' }] },
    request,
    count: true,
  });

/** The delivery of a recent request to a target; undefined when there is none. */
export async function deliveryOfAttempt(
  db: Database,
  target: { readonly kind: TargetKind; readonly id: number },
  attemptId: number,
  now: Date,
): Promise<DeliveryWithChange | undefined> {
  const row = await db.one<DeliveryRow>(sql`
    select ${deliveryColumns} from delivery_attempts a join deliveries d on d.id = a.delivery_id
    left join delivery_contents c on c.id = d.content_id
    where a.id = ${attemptId} and a.target_kind = ${target.kind} and a.target_id = ${target.id}
      and a.created_at > ${now}::timestamptz - make_interval(days => ${shownDays})`);
  return row === undefined ? undefined : toDelivery(row);
}
