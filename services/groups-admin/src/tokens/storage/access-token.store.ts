import { clausesOf, type Database, listPage, type PageInfo, type PageRequest } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import type { DirectoryWriter } from '../../directory';
import { botMemberships } from '../../members';
import { type Parent, parentColumn } from '../../parents';
import type { AccessTokenRecord } from '../domain/access-token';
import type { TokenFilter } from '../domain/personal-access-token-row';
import { insertBot, type NewBot } from './access-token-bot.store';
import { tokenClauses, tokenColumns, tokenOrders } from './personal-access-token.list';

const columns = sql`${tokenColumns}, b.access_level, b.project_id, b.namespace_id`;
const from = sql`access_token_bots b join personal_access_tokens t on t.user_id = b.user_id`;
const of = (source: Parent): Sql => sql`b.${parentColumn(source)} = ${source.id}`;

/** An access token to store, with the bot to make for it. */
export interface NewAccessToken extends NewBot {
  readonly description: string | undefined;
  readonly scopes: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly expiresAt: string;
  readonly digest: Buffer;
}

/** Access tokens of projects and groups in the database. */
export const accessTokenStore = (db: Database, { transaction }: Pick<DirectoryWriter, 'transaction'>) => ({
  /** One page: one statement, and one capped count in offset mode. */
  list: (
    source: Parent,
    filter: TokenFilter,
    request: PageRequest,
  ): Promise<{ rows: AccessTokenRecord[]; page: PageInfo }> =>
    listPage<AccessTokenRecord>({
      db,
      name: 'list_access_tokens',
      select: columns,
      from,
      where: [of(source), ...clausesOf(tokenClauses, filter, undefined)],
      orders: tokenOrders,
      request,
      count: true,
    }),

  /** A token of this very project or group; undefined when there is none. */
  find: (source: Parent, tokenId: number): Promise<AccessTokenRecord | undefined> =>
    db.one<AccessTokenRecord>(sql`select ${columns} from ${from} where ${of(source)} and t.id = ${tokenId}`),

  /** Makes a bot, its token and its membership; returns the token's id, or undefined when the source was purged. */
  create: ({ description, scopes, expiresAt, digest, ...bot }: NewAccessToken): Promise<number | undefined> =>
    transaction(async (tx) => {
      if (!(await botMemberships.lock(tx, bot.source))) return undefined;
      const userId = await insertBot(tx, bot);
      const token = await tx.one<{ id: number }>(sql`
        insert into personal_access_tokens (user_id, name, description, token_digest, scopes, kind, expires_at)
        values (${userId}, ${bot.name}, ${description ?? null}, ${digest}, ${[...scopes]}::text[], 'resource', ${expiresAt}::date)
        returning id`);
      await botMemberships.put(tx, bot.source, { userId, level: bot.level, expiresAt }, bot.createdById);
      return token?.id;
    }),
});
