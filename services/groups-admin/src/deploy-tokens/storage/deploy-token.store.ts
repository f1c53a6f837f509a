import {
  type Database,
  isForeignKeyViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
} from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { type Parent, parentColumn } from '../../parents';
import type { DeployTokenRecord, DeployTokenRequest } from '../domain/deploy-token';

const expired = sql`coalesce(t.expires_at <= now(), false)`;
const columns = sql`t.id, t.name, t.username, t.scopes, t.expires_at, t.last_used_at,
  ${expired} as expired`;
const of = (source: Parent): Sql => sql`t.${parentColumn(source)} = ${source.id}`;

/** A deploy token to store. */
export interface NewDeployToken extends DeployTokenRequest {
  readonly source: Parent;
  readonly digest: Buffer;
  readonly createdById: number;
}

/** Deploy tokens in the database. */
export const deployTokenStore = (db: Database) => ({
  /** One page, of the instance or of one project or group: one statement, and one capped count in offset mode. */
  list(
    source: Parent | undefined,
    active: boolean | undefined,
    request: PageRequest,
  ): Promise<{ rows: DeployTokenRecord[]; page: PageInfo }> {
    return listPage<DeployTokenRecord>({
      db,
      name: 'list_deploy_tokens',
      select: columns,
      from: sql`deploy_tokens t`,
      where: [
        ...(source === undefined ? [] : [of(source)]),
        ...(active === undefined ? [] : [sql`${expired} = ${!active}`]),
      ],
      orders: { id: [{ name: 'id', expression: sql`t.id`, type: 'bigint' }] },
      request,
      count: true,
    });
  },

  /** A token of this very project or group; undefined when there is none. */
  find: (source: Parent, tokenId: number): Promise<DeployTokenRecord | undefined> =>
    db.one<DeployTokenRecord>(sql`select ${columns} from deploy_tokens t where ${of(source)} and t.id = ${tokenId}`),

  /** Whether a user is the bot of an access token. */
  isBot: async (userId: number): Promise<boolean> =>
    (await db.one(sql`select 1 from users where id = ${userId}::bigint and user_type = 'bot'`)) !== undefined,

  /** Stores a token; returns its id, or undefined when the project or group was purged. */
  async create(token: NewDeployToken): Promise<number | undefined> {
    const { kind, id } = token.source;
    try {
      const row = await db.one<{ id: number }>(sql`
        with next as (select nextval(pg_get_serial_sequence('deploy_tokens', 'id')) as id)
        insert into deploy_tokens (id, project_id, namespace_id, name, username, token_digest, scopes, expires_at, created_by_id)
        overriding system value
        select id, ${kind === 'project' ? id : null}::bigint, ${kind === 'group' ? id : null}::bigint, ${token.name},
          coalesce(nullif(${token.username}::text, ''), 'gitlab+deploy-token-' || id), ${token.digest}::bytea,
          ${[...new Set(token.scopes)]}::text[], ${token.expiresAt ?? null}::timestamptz, ${token.createdById}::bigint
        from next returning id`);
      return row?.id;
    } catch (error) {
      if (isForeignKeyViolation(error)) return undefined;
      throw error;
    }
  },

  /** Deletes a token; false when there is none. @throws AppError precondition_failed when it changed */
  remove: (source: Parent, tokenId: number, unmodifiedSince?: Date): Promise<boolean> =>
    db.transaction(async (tx) => {
      const row = await tx.one(
        sql`select t.id from deploy_tokens t where ${of(source)} and t.id = ${tokenId} for update`,
      );
      if (row === undefined) return false;
      await requireUnmodified(tx, 'deploy_tokens', tokenId, unmodifiedSince);
      await tx.query(sql`delete from deploy_tokens where id = ${tokenId}`);
      return true;
    }),
});
