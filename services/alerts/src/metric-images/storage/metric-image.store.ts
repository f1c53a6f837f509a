import {
  type Database,
  listPage,
  type PageInfo,
  type PageRequest,
  type SqlExecutor,
  type Tx,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { ImageLink, MetricImage, StoredImage } from '../domain/metric-image';

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
export const metricImageStore = (db: Database) => ({
  async alertId(projectId: number, iid: number): Promise<number | undefined> {
    const row = await db.one<{ id: number }>(
      sql`select id from alerts where project_id = ${projectId} and iid = ${iid}`,
    );
    return row?.id;
  },

  async page(alertId: number, request: PageRequest): Promise<{ rows: MetricImage[]; page: PageInfo }> {
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

  find: (alertId: number, id: number) =>
    first(db, sql`select ${columns} from metric_images i where i.id = ${id} and i.alert_id = ${alertId}`),

  async attach(
    tx: Tx,
    alertId: number,
    { blob, filename, contentType, size, url, urlText }: StoredImage & ImageLink,
  ): Promise<MetricImage | undefined> {
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

  update: (alertId: number, id: number, { url, urlText }: Partial<ImageLink>) =>
    first(
      db,
      sql`
        update metric_images i set url = case when ${url !== undefined} then ${orNull(url)} else i.url end,
          url_text = case when ${urlText !== undefined} then ${orNull(urlText)} else i.url_text end
        where i.id = ${id} and i.alert_id = ${alertId} returning ${columns}`,
    ),

  async remove(tx: Tx, alertId: number, id: number): Promise<boolean> {
    const rows = await tx.query(sql`delete from metric_images where id = ${id} and alert_id = ${alertId} returning 1`);
    return rows.length > 0;
  },
});
