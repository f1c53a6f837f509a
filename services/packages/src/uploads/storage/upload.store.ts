import {
  type Database,
  listPage,
  type PageInfo,
  type PageRequest,
  type SqlExecutor,
  type Tx,
} from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import { unavailable } from '@switchyard/errors';
import type { ArchivedUpload, ListedUpload, NewUpload, StoredUpload, Upload, UploadPlace } from '../domain/upload';

interface Row {
  id: number;
  project_id: number;
  secret: string;
  file_name: string;
  content_type: string;
  created_at: Date;
  size: number;
}

interface StoredRow extends Row {
  blob: string;
  sha256: string;
}

const columns = sql`u.id, u.project_id, u.secret, u.file_name, u.content_type, u.created_at`;

const toUpload = (row: Row): Upload => ({
  id: row.id,
  projectId: row.project_id,
  secret: row.secret,
  fileName: row.file_name,
  contentType: row.content_type,
  createdAt: row.created_at,
  size: row.size,
});

const toStored = (row: StoredRow): StoredUpload => ({ ...toUpload(row), blob: row.blob, sha256: row.sha256 });

const isAt = ({ projectId, secret, fileName }: UploadPlace): Sql =>
  sql`u.project_id = ${projectId} and u.secret = ${secret} and u.file_name = ${fileName}`;

/** Opens the store. */
export const uploadStore = (db: Database) => {
  async function stored(where: Sql): Promise<StoredUpload | undefined> {
    const row = await db.one<StoredRow>(sql`
      select ${columns}, c.size, c.blob, encode(c.sha256, 'hex') as sha256
      from uploads u join contents c on c.id = u.content_id where ${where}`);
    return row && toStored(row);
  }
  async function ofSource(from: SqlExecutor, projectId: number, source: string): Promise<Upload | undefined> {
    const [row] = await from.query<Row>(sql`
      select ${columns}, c.size from imported_uploads i join uploads u on u.id = i.upload_id
      join contents c on c.id = u.content_id
      where i.project_id = ${projectId} and i.source = decode(${source}, 'hex')`);
    return row && toUpload(row);
  }
  async function ofSecret(tx: Tx, { projectId, secret }: Pick<Upload, 'projectId' | 'secret'>) {
    const [row] = await tx.query<Row>(sql`
      select ${columns}, c.size from uploads u join contents c on c.id = u.content_id
      where u.project_id = ${projectId} and u.secret = ${secret}`);
    return row && toUpload(row);
  }
  function found(known: Upload | undefined): Upload {
    if (known === undefined) throw unavailable(new Error('an upload was deleted while it was imported again'));
    return known;
  }
  const removed = async (tx: Tx, where: Sql): Promise<boolean> =>
    (await tx.query(sql`delete from uploads u where ${where} returning 1`)).length > 0;

  return {
    async page(projectId: number, request: PageRequest): Promise<{ rows: ListedUpload[]; page: PageInfo }> {
      const { rows, page } = await listPage<Row>({
        db,
        name: 'list_uploads',
        select: sql`${columns}, c.size, ${userColumns('uploader')}`,
        from: sql`uploads u join contents c on c.id = u.content_id ${userJoin('uploader', sql`u.uploader_id`)}`,
        countFrom: sql`uploads u`,
        where: [sql`u.project_id = ${projectId}`],
        orders: {
          created_at: [
            { name: 'created_at', expression: sql`u.created_at`, type: 'timestamptz' },
            { name: 'id', expression: sql`u.id`, type: 'bigint' },
          ],
        },
        request,
        count: true,
      });
      return { rows: rows.map((row) => ({ ...toUpload(row), uploader: userOf(row, 'uploader') })), page };
    },

    async add(tx: Tx, upload: NewUpload, content: { readonly id: number; readonly size: number }): Promise<Upload> {
      const { projectId, source } = upload;
      const [row] = await tx.query<Row>(sql`
        insert into uploads as u (project_id, content_id, secret, file_name, content_type, uploader_id, created_at)
        values (${projectId}, ${content.id}, ${upload.secret}, ${upload.fileName}, ${upload.contentType},
          ${upload.uploaderId ?? null}::bigint, coalesce(${upload.createdAt ?? null}::timestamptz, now()))
        on conflict (project_id, secret) do nothing returning ${columns}`);
      // One of an archive that came in meanwhile.
      if (row === undefined) return found(await ofSecret(tx, upload));
      const added = toUpload({ ...row, size: content.size });
      if (source === undefined) return added;
      const named = await tx.query(sql`
        insert into imported_uploads (project_id, source, upload_id)
        values (${projectId}, decode(${source}, 'hex'), ${added.id}) on conflict do nothing returning 1`);
      if (named.length > 0) return added;
      await tx.query(sql`delete from uploads where id = ${added.id}`);
      return found(await ofSource(tx, projectId, source));
    },

    findSource: (projectId: number, source: string): Promise<Upload | undefined> => ofSource(db, projectId, source),
    async namesOf(projectId: number, secrets: readonly string[]): Promise<Map<string, string>> {
      const rows = await db.query<{ secret: string; file_name: string }>(sql`
        select secret, file_name from uploads where project_id = ${projectId} and secret = any(${[...secrets]}::text[])`);
      return new Map(rows.map((row) => [row.secret, row.file_name]));
    },

    async after(projectId: number, id: number, limit: number): Promise<ArchivedUpload[]> {
      const rows = await db.query<StoredRow & { uploader: string | null }>(sql`
        select ${columns}, c.size, c.blob, encode(c.sha256, 'hex') as sha256,
          (select k.username from directory.users k where k.id = u.uploader_id and k.deleted_at is null and k.kind <> 'ghost') as uploader
        from uploads u join contents c on c.id = u.content_id
        where u.project_id = ${projectId} and u.id > ${id} order by u.id limit ${limit}`);
      return rows.map((row) => ({ ...toStored(row), uploader: row.uploader ?? undefined }));
    },

    find: (projectId: number, id: number): Promise<StoredUpload | undefined> =>
      stored(sql`u.project_id = ${projectId} and u.id = ${id}`),
    findAt: (place: UploadPlace): Promise<StoredUpload | undefined> => stored(isAt(place)),
    remove: (tx: Tx, projectId: number, id: number): Promise<boolean> =>
      removed(tx, sql`u.project_id = ${projectId} and u.id = ${id}`),
    removeAt: (tx: Tx, place: UploadPlace): Promise<boolean> => removed(tx, isAt(place)),
  };
};
