import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { DirectoryTx, Transact } from '../../directory';
import { botMemberships, type MemberRemovalReason } from '../../members';
import type { Parent } from '../../parents';
import { alive } from './personal-access-token.list';

interface Bot {
  user_id: number;
  project_id: number | null;
  namespace_id: number | null;
  access_level: number;
  /** `YYYY-MM-DD`: the last day of expiry of its good tokens; null when it has none. */
  good_until: string | null;
}

const findBot = (tx: Tx, userId: number): Promise<Bot | undefined> =>
  tx.one<Bot>(sql`
    select b.user_id, b.project_id, b.namespace_id, b.access_level,
      (select max(t.expires_at)::text from personal_access_tokens t where t.user_id = b.user_id and ${alive}) as good_until
    from access_token_bots b where b.user_id = ${userId}::bigint for update of b`);

function sourceOf({ project_id: projectId, namespace_id: groupId }: Bot): Parent | undefined {
  if (projectId !== null) return { kind: 'project', id: projectId };
  return groupId === null ? undefined : { kind: 'group', id: groupId };
}

/**
 * Lets the membership of a bot follow its tokens, in the transaction that changed them: it lasts as long as the last of
 * them, and ends with it. Does nothing for a user who is no such bot.
 */
export async function followTokens(
  tx: DirectoryTx,
  userId: number,
  actorId: number,
  reason: MemberRemovalReason = 'removed',
): Promise<void> {
  const bot = await findBot(tx, userId);
  if (bot === undefined) return;
  const source = sourceOf(bot);
  const isGood = bot.good_until !== null && source !== undefined;
  await tx.query(sql`
    update access_token_bots set inactive_since = ${isGood ? null : new Date()}::timestamptz
    where user_id = ${userId}::bigint and (inactive_since is null or ${isGood})`);
  if (!isGood) return botMemberships.end(tx, userId, { actorId, reason });
  const membership = { userId, level: bot.access_level, expiresAt: bot.good_until as string };
  await botMemberships.put(tx, source, membership, actorId);
}

/** A bot to make. */
export interface NewBot {
  readonly source: Parent;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly level: number;
  readonly createdById: number;
}

/** Makes the user that the tokens of a project or group act as: external, without a namespace and without a password. */
export async function insertBot(tx: DirectoryTx, bot: NewBot): Promise<number> {
  const [user] = await tx.write(
    'user',
    sql`insert into users (username, name, email, user_type, external, can_create_group, projects_limit, confirmed_at, created_by_id)
      values (${bot.username}, ${bot.name}, ${bot.email}, 'bot', true, false, 0, now(), ${bot.createdById}) returning id`,
  );
  if (user === undefined) throw new Error('a bot was not inserted');
  const { kind, id } = bot.source;
  await tx.query(sql`
    insert into access_token_bots (user_id, project_id, namespace_id, access_level)
    values (${user.id}, ${kind === 'project' ? id : null}, ${kind === 'group' ? id : null}, ${bot.level})`);
  return user.id;
}

/**
 * Bots with ids above `after` that are to be deleted, ascending: without a project or group, or without a good token for
 * `keptDays` days.
 */
export const dueBots = (
  tx: Pick<Tx, 'query'>,
  keptDays: number,
  after: number,
  limit: number,
): Promise<{ id: number }[]> =>
  tx.query(sql`
    select user_id as id from access_token_bots
    where user_id > ${after}
      and ((project_id is null and namespace_id is null) or inactive_since <= now() - ${keptDays} * interval '1 day')
    order by user_id limit ${limit}`);

/** Notes the bots whose last token has expired, and ends their memberships; returns how many. */
export const noteInactiveBots = (transaction: Transact, limit: number): Promise<number> =>
  transaction(async (tx) => {
    const expired = await tx.query<{ user_id: number }>(sql`
      select b.user_id from access_token_bots b
      where b.inactive_since is null
        and not exists (select from personal_access_tokens t where t.user_id = b.user_id and ${alive})
      order by b.user_id limit ${limit} for update skip locked`);
    // The tokens are read again behind the lock: one of them may have been rotated.
    for (const { user_id: userId } of expired) await followTokens(tx, userId, 0, 'expired');
    return expired.length;
  });
