import {
  type Database,
  listPage,
  type PageInfo,
  type PageRequest,
  type SqlExecutor,
  sql,
  type Tx,
} from '@switchyard/database';
import type { ImageLink, MetricImage, StoredImage } from '../domain/metric-image';

/** Images of alerts as rows, and the blobs that none of them names. */
export interface MetricImageStore {
  /** Id of an alert by its number; undefined when the project has none. */
  alertId(projectId: number, iid: number): Promise<number | undefined>;
  /** One page of an alert's images, oldest first. */
  page(alertId: number, request: PageRequest): Promise<{ rows: MetricImage[]; page: PageInfo }>;
  /** One image of an alert, and where its content lies. */
  find(alertId: number, id: number): Promise<(MetricImage & StoredImage) | undefined>;
  /** Notes a blob that is about to be written, so that it goes in an hour should no image come to name it. */
  expect(blob: string): Promise<void>;
  /** Makes a blob that was expected the content of an image; undefined when the alert, or the expectation, has gone. */
  attach(tx: Tx, alertId: number, image: StoredImage & ImageLink): Promise<MetricImage | undefined>;
  /** Lets a blob go that was expected and is not wanted. */
  giveUp(blob: string): Promise<void>;
  /** Sets what is given; undefined when there is no such image. */
  update(alertId: number, id: number, link: Partial<ImageLink>): Promise<MetricImage | undefined>;
  /** Deletes an image, which leaves its blob to `takeRemains`. False when there is none. */
  remove(tx: Tx, alertId: number, id: number): Promise<boolean>;
  /** Blobs that are due, at most `limit`, locked until the transaction ends: no other process takes them meanwhile. */
  takeRemains(tx: Tx, limit: number): Promise<string[]>;
  /** Forgets blobs that have been removed, and comes back in ten minutes to those that could not be. */
  settleRemains(tx: Tx, removed: readonly string[], stuck: readonly string[]): Promise<void>;
}

interface Row {
  id: number;
  filename: string;
  url: string | null;
  url_text: string | null;
  created_at: Date;
  blob: string;
  content_type: string;
  size: number;
}

const columns = sql`i.id, i.filename, i.url, i.url_text, i.created_at, i.blob, i.content_type, i.size`;
const orders = { id: [{ name: 'id', expression: sql`i.id`, type: 'bigint' as const }] };

const toImage = (row: Row): MetricImage & StoredImage => ({
  id: row.id,
  filename: row.filename,
  url: row.url ?? undefined,
  urlText: row.url_text ?? undefined,
  createdAt: row.created_at,
  blob: row.blob,
  contentType: row.content_type,
  size: row.size,
});

const first = async (executor: SqlExecutor, statement: ReturnType<typeof sql>) => {
  const [row] = await executor.query<Row>(statement);
  return row && toImage(row);
};

const orNull = (text: string | undefined): string | null => text || null;

/** Opens the store. */
export const metricImageStore = (db: Database): MetricImageStore => ({
  async alertId(projectId, iid) {
    const row = await db.one<{ id: number }>(
      sql`select id from alerts where project_id = ${projectId} and iid = ${iid}`,
    );
    return row?.id;
  },

  async page(alertId, request) {
    const { rows, page } = await listPage<Row>({
      db,
      name: 'list_metric_images',
      select: columns,
      from: sql`metric_images i`,
      where: [sql`i.alert_id = ${alertId}`],
      orders,
      request,
      count: true,
    });
    return { rows: rows.map(toImage), page };
  },

  find: (alertId, id) =>
    first(db, sql`select ${columns} from metric_images i where i.id = ${id} and i.alert_id = ${alertId}`),

  async expect(blob) {
    await db.query(sql`insert into blob_remains (blob, due_at) values (${blob}, now() + interval '1 hour')`);
  },

  async attach(tx, alertId, { blob, filename, contentType, size, url, urlText }) {
    return first(
      tx,
      sql`
        with expected as (delete from blob_remains where blob = ${blob} returning blob)
        insert into metric_images as i (alert_id, blob, filename, content_type, size, url, url_text)
        select a.id, e.blob, ${filename}, ${contentType}, ${size}::bigint, ${orNull(url)}, ${orNull(urlText)}
        from expected e, alerts a where a.id = ${alertId}
        returning ${columns}`,
    );
  },

  async giveUp(blob) {
    await db.query(sql`update blob_remains set due_at = now() where blob = ${blob}`);
  },

  update: (alertId, id, { url, urlText }) =>
    first(
      db,
      sql`
        update metric_images i set url = case when ${url !== undefined} then ${orNull(url)} else i.url end,
          url_text = case when ${urlText !== undefined} then ${orNull(urlText)} else i.url_text end
        where i.id = ${id} and i.alert_id = ${alertId} returning ${columns}`,
    ),

  async remove(tx, alertId, id) {
    const rows = await tx.query(sql`delete from metric_images where id = ${id} and alert_id = ${alertId} returning 1`);
    return rows.length > 0;
  },

  async takeRemains(tx, limit) {
    // Moments are rounded to milliseconds: what is due now may be stored as half of one ahead.
    const rows = await tx.query<{ blob: string }>(sql`
      select blob from blob_remains where due_at <= now() + interval '1 millisecond' order by due_at limit ${limit} for update skip locked`);
    return rows.map(({ blob }) => blob);
  },

  async settleRemains(tx, removed, stuck) {
    if (removed.length > 0) await tx.query(sql`delete from blob_remains where blob = any(${[...removed]}::text[])`);
    if (stuck.length === 0) return;
    await tx.query(
      sql`update blob_remains set due_at = now() + interval '10 minutes' where blob = any(${[...stuck]}::text[])`,
    );
  },
});
