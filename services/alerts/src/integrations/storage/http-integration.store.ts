import {
  type Database,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { HttpIntegration, IntegrationFields, NewIntegration, StoredKey } from '../domain/http-integration';
import { integrationColumns, mappingJson, toIntegration } from './http-integration.row';

const orders = { id: [{ name: 'id', expression: sql`i.id`, type: 'bigint' as const }] };

const only = (rows: Record<string, unknown>[]): HttpIntegration => {
  const [row] = rows;
  if (row === undefined) throw new Error('an integration has not been written');
  return toIntegration(row);
};

async function lock(tx: Tx, projectId: number, id: number): Promise<HttpIntegration | undefined> {
  const [row] = await tx.query(sql`
    select ${integrationColumns} from http_integrations i where i.project_id = ${projectId} and i.id = ${id} for update`);
  return row === undefined ? undefined : toIntegration(row);
}

/** How many a project has; holds off others that would add one until the transaction ends. */
async function countLocked(tx: Tx, projectId: number): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('http_integrations', ${projectId}::bigint))`);
  const row = await tx.one<{ count: number }>(
    sql`select count(*)::int as count from http_integrations where project_id = ${projectId}`,
  );
  return row?.count ?? 0;
}

/** Opens the store. */
export const httpIntegrationStore = (db: Database) => ({
  async page(projectId: number, request: PageRequest): Promise<{ rows: HttpIntegration[]; page: PageInfo }> {
    const { rows, page } = await listPage({
      db,
      name: 'list_http_integrations',
      select: integrationColumns,
      from: sql`http_integrations i`,
      where: [sql`i.project_id = ${projectId}`],
      orders,
      request,
      count: true,
    });
    return { rows: rows.map(toIntegration), page };
  },

  async find(projectId: number, id: number): Promise<HttpIntegration | undefined> {
    const [row] = await db.query(
      sql`select ${integrationColumns} from http_integrations i where i.project_id = ${projectId} and i.id = ${id}`,
    );
    return row === undefined ? undefined : toIntegration(row);
  },

  add: (projectId: number, decide: (count: number) => NewIntegration): Promise<HttpIntegration> =>
    db.transaction(async (tx) => {
      const { fields, endpointId, key } = decide(await countLocked(tx, projectId));
      const { type, name, active, payloadExample, mapping } = fields;
      return only(
        await tx.query(sql`
          insert into http_integrations as i (project_id, type, name, endpoint_id, key_digest, key_hint, active, payload_example,
            payload_attribute_mappings)
          values (${projectId}, ${type}, ${name}, ${endpointId}, ${key.digest}, ${key.hint}, ${active},
            ${payloadExample ?? null}::json, ${mappingJson(mapping)}::json)
          returning ${integrationColumns}`),
      );
    }),

  change: (
    projectId: number,
    id: number,
    decide: (before: HttpIntegration) => IntegrationFields,
  ): Promise<HttpIntegration | undefined> =>
    db.transaction(async (tx) => {
      const before = await lock(tx, projectId, id);
      if (before === undefined) return undefined;
      const { type, name, active, payloadExample, mapping } = decide(before);
      return only(
        await tx.query(sql`
          update http_integrations i set type = ${type}, name = ${name}, active = ${active},
            payload_example = ${payloadExample ?? null}::json, payload_attribute_mappings = ${mappingJson(mapping)}::json,
            updated_at = now()
          where i.id = ${id} returning ${integrationColumns}`),
      );
    }),

  setKey: (projectId: number, id: number, { digest, hint }: StoredKey): Promise<HttpIntegration | undefined> =>
    db.transaction(async (tx) => {
      if ((await lock(tx, projectId, id)) === undefined) return undefined;
      return only(
        await tx.query(sql`
          update http_integrations i set key_digest = ${digest}, key_hint = ${hint}, updated_at = now()
          where i.id = ${id} returning ${integrationColumns}`),
      );
    }),

  remove: (projectId: number, id: number, since: Date | undefined): Promise<boolean> =>
    db.transaction(async (tx) => {
      const [row] = await tx.query(sql`
        select 1 from http_integrations where project_id = ${projectId} and id = ${id} for update`);
      if (row === undefined) return false;
      await requireUnmodified(tx, 'http_integrations', id, since);
      await tx.query(sql`delete from http_integrations where id = ${id}`);
      return true;
    }),
});
