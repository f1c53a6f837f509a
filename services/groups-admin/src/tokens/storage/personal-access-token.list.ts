import {
  type ClauseTable,
  clausesOf,
  contains,
  type Database,
  listPage,
  type PageInfo,
  type PageRequest,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { TokenFilter, TokenRecord } from '../domain/personal-access-token-row';

/** Condition on `personal_access_tokens t`: the token is good. */
export const alive = sql`not t.revoked and (t.expires_at is null or t.expires_at > (now() at time zone 'UTC')::date)`;

/** Columns of a `TokenRecord`. */
export const tokenColumns = sql`t.id, t.user_id, t.name, t.description, t.scopes, t.revoked, (${alive}) as active,
  t.expires_at::text as expires_at, t.last_used_at, t.last_used_ips, t.created_at, t.kind`;

/** Conditions of `TokenFilter`. */
export const tokenClauses: ClauseTable<TokenFilter> = {
  userId: (id) => sql`t.user_id = ${id}`,
  impersonation: (only) => sql`(t.kind = 'impersonation') = ${only}`,
  revoked: (revoked) => sql`t.revoked = ${revoked}`,
  state: (state) => (state === 'active' ? alive : sql`not (${alive})`),
  search: (text) => sql`t.name ilike ${contains(text)}`,
  createdAfter: (timestamp) => sql`t.created_at >= ${timestamp}`,
  createdBefore: (timestamp) => sql`t.created_at < ${timestamp}`,
  lastUsedAfter: (timestamp) => sql`t.last_used_at >= ${timestamp}`,
  lastUsedBefore: (timestamp) => sql`t.last_used_at < ${timestamp}`,
  // PostgreSQL has no year 0.
  expiresAfter: (date) => sql`t.expires_at >= ${date.replace(/^0000/, '0001')}::date`,
  expiresBefore: (date) => sql`t.expires_at <= ${date.replace(/^0000/, '0001')}::date`,
};

const id = { name: 'id', expression: sql`t.id`, type: 'bigint' } as const;

/** Orders of lists of tokens. */
export const tokenOrders = {
  id: [id],
  name: [{ name: 'name', expression: sql`t.name`, type: 'text' } as const, id],
  created_at: [{ name: 'created_at', expression: sql`t.created_at`, type: 'timestamptz' } as const, id],
  expires_at: [{ name: 'expires_at', expression: sql`t.expires_at`, type: 'date', nullable: true } as const, id],
  last_used_at: [
    { name: 'last_used_at', expression: sql`t.last_used_at`, type: 'timestamptz', nullable: true } as const,
    id,
  ],
};

/** One page of tokens: one statement, and one capped count in offset mode. */
export function listTokens(
  db: Database,
  filter: TokenFilter,
  request: PageRequest,
): Promise<{ rows: TokenRecord[]; page: PageInfo }> {
  const where = clausesOf(tokenClauses, filter, undefined);
  return listPage<TokenRecord>({
    db,
    name: 'list_personal_access_tokens',
    select: tokenColumns,
    from: sql`personal_access_tokens t`,
    where,
    orders: tokenOrders,
    request,
    count: true,
  });
}

/** One token; undefined when there is none. */
export const findToken = (db: Database, tokenId: number): Promise<TokenRecord | undefined> =>
  db.one<TokenRecord>(sql`select ${tokenColumns} from personal_access_tokens t where t.id = ${tokenId}`);
