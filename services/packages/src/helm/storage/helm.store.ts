import type { Database, Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import type { Channel, ChannelState, ChartFile, IndexedChart } from '../domain/channel';
import type { ChartMetadata } from '../domain/chart';

/** Charts that one statement reads, and that an index has. */
const batch = 500;
const mostCharts = 10_000;

/** Files of a channel: `f` with its content `c`, of the version `k`. */
const files = sql`packages k join package_files f on f.package_id = k.id join contents c on c.id = f.content_id`;

const inChannel = ({ projectId, channel }: Channel): Sql => sql`
  k.project_id = ${projectId} and k.format = 'helm' and k.status in ('default', 'deprecated', 'hidden')
  and f.metadata->>'channel' = ${channel}`;

interface ChartRow {
  id: number;
  name: string;
  chart: ChartMetadata;
  file_name: string;
  sha256: string;
  created_at: Date;
}

const toChart = (row: ChartRow): IndexedChart => ({
  chart: row.chart,
  fileName: row.file_name,
  sha256: row.sha256,
  createdAt: row.created_at,
});

/** Opens the store. */
export const helmStore = (db: Database) => ({
  async state(channel: Channel): Promise<ChannelState> {
    const row = await db.one<{ revision: string | null; changed_at: Date | null }>(sql`
      select md5(string_agg(f.id::text, ',' order by f.id)) as revision, max(f.created_at) as changed_at
      from packages k join package_files f on f.package_id = k.id where ${inChannel(channel)}`);
    return { revision: row?.revision ?? 'none', changedAt: row?.changed_at ?? undefined };
  },

  async *charts(channel: Channel): AsyncGenerator<IndexedChart[]> {
    let after: Sql = sql``;
    for (let read = 0; read < mostCharts; read += batch) {
      const rows = await db.query<ChartRow>(sql`
        select distinct on (k.name, k.id) k.id, k.name, f.metadata->'chart' as chart, f.file_name,
          encode(c.sha256, 'hex') as sha256, f.created_at
        from ${files} where ${inChannel(channel)} ${after}
        order by k.name, k.id, f.id desc limit ${batch}`);
      yield rows.map(toChart);
      const last = rows.at(-1);
      if (last === undefined || rows.length < batch) return;
      after = sql`and (k.name, k.id) > (${last.name}, ${last.id}::bigint)`;
    }
  },

  async isTaken(tx: Tx, channel: Channel, fileName: string, packageId: number): Promise<boolean> {
    const name = `helm ${channel.channel} ${fileName}`;
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${name}, ${channel.projectId}::bigint))`);
    const rows = await tx.query(sql`
      select from ${files} where ${inChannel(channel)} and f.file_name = ${fileName} and k.id <> ${packageId} limit 1`);
    return rows.length > 0;
  },

  async find(channel: Channel, fileName: string): Promise<ChartFile | undefined> {
    return db.one<ChartFile>(sql`
      select f.package_id as "packageId", f.file_name as "fileName", c.size, encode(c.sha256, 'hex') as sha256, c.blob
      from ${files} where ${inChannel(channel)} and f.file_name = ${fileName}
      order by f.id desc limit 1`);
  },
});
