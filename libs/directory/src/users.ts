import type { SqlExecutor } from '@switchyard/database';
import { named, raw, type Sql, sql } from '@switchyard/database/sql';
import { internalKinds } from './internal-kinds';

/** A user as rows of the directory carry it. */
export interface UserRow {
  id: number;
  username: string;
  name: string;
  state: string;
  avatar_url: string | null;
  public_email: string | null;
}

/** A user with what only services need: never printed as it is. */
export interface DirectoryUserRow extends UserRow {
  email: string | null;
  commit_email: string | null;
  admin: boolean;
  external: boolean;
  bot: boolean;
}

/** The public user reference (api.md section 2, G-2-1). */
export interface UserReference {
  id: number;
  username: string;
  public_email: string;
  name: string;
  state: string;
  locked: boolean;
  avatar_url: string | null;
  web_url: string;
}

const origin = (externalUrl: string): string => externalUrl.replace(/\/+$/, '');

/**
 * The public address of an avatar.
 * @param stored path below the external address, as the directory carries it, or an address; null or empty for none
 */
export const avatarUrl = (stored: string | null, externalUrl: string): string | null =>
  stored?.startsWith('/') ? `${origin(externalUrl)}${stored}` : stored || null;

/** Renders a user reference; the one public shape that the directory owns. */
export const userReference = (user: UserRow, externalUrl: string): UserReference => ({
  id: user.id,
  username: user.username,
  public_email: user.public_email ?? '',
  name: user.name,
  state: user.state,
  locked: false,
  avatar_url: avatarUrl(user.avatar_url, externalUrl),
  web_url: `${origin(externalUrl)}/${user.username}`,
});

// The ghost of an instance whose deleted users' tombstones never reached this replica is known by its name.
const ghostName = 'ghost';
const ghostId = sql`(select g.id from directory.users g where lower(g.username) = ${ghostName} and g.bot limit 1)`;

/**
 * Users by id, for embedding: a deleted user's id gives the ghost user, so every id that ever belonged to a user finds
 * someone as long as a ghost exists. One statement for any number of ids.
 */
export async function usersByIds(db: SqlExecutor, ids: Iterable<number>): Promise<Map<number, DirectoryUserRow>> {
  const unique = [...new Set(ids)].filter((id) => id > 0);
  if (unique.length === 0) return new Map();
  const rows = await db.query<DirectoryUserRow & { requested_id: number }>(
    named(
      'directory_users',
      sql`select requested.id as requested_id, u.id, u.username, u.name, u.state, u.avatar_url, u.public_email, u.email, u.commit_email,
      u.admin, u.external, u.bot
    from unnest(${unique}::bigint[]) as requested (id)
    left join directory.users own on own.id = requested.id
    join directory.users u on u.id = case
      when own.id is not null and own.deleted_at is null then own.id
      else coalesce(own.ghost_id, ${ghostId}) end`,
    ),
  );
  return new Map(rows.map(({ requested_id: id, ...user }) => [id, user]));
}

/**
 * Id of the user in whose name the instance acts where an alert does: known by its kind, whatever it is called.
 * Undefined until the directory has it.
 */
export async function alertBotId(db: SqlExecutor): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(
    named(
      'directory_alert_bot',
      sql`select id from directory.users where kind = 'alert_bot' and deleted_at is null order by id limit 1`,
    ),
  );
  return row?.id;
}

/**
 * Users by name, without regard to case (G-1); the key is the name in lower case. Deleted users and those that the
 * instance keeps for itself are not found.
 */
export async function usersByUsernames(
  db: SqlExecutor,
  usernames: Iterable<string>,
): Promise<Map<string, DirectoryUserRow>> {
  const names = [...new Set([...usernames].map((name) => name.toLowerCase()))];
  if (names.length === 0) return new Map();
  const rows = await db.query<DirectoryUserRow>(sql`
    select u.id, u.username, u.name, u.state, u.avatar_url, u.public_email, u.email, u.commit_email, u.admin, u.external, u.bot
    from directory.users u
    where lower(u.username) = any(${names}::text[]) and u.deleted_at is null and u.kind <> all(${internalKinds})
      and not (u.bot and lower(u.username) = ${ghostName})`);
  return new Map(rows.map((user) => [user.username.toLowerCase(), user]));
}

const checkedAlias = (alias: string): string => {
  if (!/^[a-z][a-z0-9_]{0,30}$/.test(alias)) throw new Error(`not an alias: ${alias}`);
  return alias;
};

/**
 * Joins the user `userId` points at under `alias`, the ghost in place of a deleted one; nulls when there is none.
 * With `userColumns` it embeds a user reference in a statement.
 */
export const userJoin = (alias: string, userId: Sql): Sql => {
  const name = checkedAlias(alias);
  return sql`left join directory.users ${raw(`${name}_own`)} on ${raw(`${name}_own`)}.id = ${userId}
    left join directory.users ${raw(name)} on ${userId} is not null
      and ${raw(name)}.id = coalesce(${raw(`${name}_own`)}.ghost_id, ${raw(`${name}_own`)}.id, ${ghostId})`;
};

const referenceColumns = ['id', 'username', 'name', 'state', 'avatar_url', 'public_email'] as const;

/** Columns `<alias>_id`, `<alias>_username` … of a user joined by `userJoin`; read back by `userOf`. */
export const userColumns = (alias: string): Sql => {
  const name = checkedAlias(alias);
  return raw(referenceColumns.map((column) => `${name}.${column} as ${name}_${column}`).join(', '));
};

/** A user under an alias as a JSON `UserRow`. */
const referenceJson = (alias: string): Sql =>
  raw(`json_build_object(${referenceColumns.map((column) => `'${column}', ${alias}.${column}`).join(', ')})`);

/** A JSON `UserRow` for an id, the ghost in place of a deleted user; null when there is none. */
export const userJson = (id: Sql): Sql => sql`(
  select ${referenceJson('shown')}
  from directory.users own join directory.users shown on shown.id = coalesce(own.ghost_id, own.id) where own.id = ${id})`;

/** A JSON object of `UserRow` by id for the ids of an array expression, the ghost in place of deleted users; null without any. */
export const peopleJson = (ids: Sql): Sql => sql`(
  select json_object_agg(own.id, ${referenceJson('shown')})
  from directory.users own join directory.users shown on shown.id = coalesce(own.ghost_id, own.id) where own.id = any(${ids}))`;

/** The user that `userColumns(alias)` put into a row; undefined when there is none. */
export function userOf(row: object, alias: string): UserRow | undefined {
  const values = row as Record<string, unknown>;
  if (values[`${alias}_id`] === null || values[`${alias}_id`] === undefined) return undefined;
  return Object.fromEntries(
    referenceColumns.map((column) => [column, values[`${alias}_${column}`]]),
  ) as unknown as UserRow;
}

/**
 * A JSON array of `UserRow` for the ids of an array expression, in its order: for lists of assignees and reviewers
 * inside one statement.
 */
export const usersJson = (ids: Sql): Sql => sql`(
  select coalesce(json_agg(${referenceJson('us')} order by listed.position), '[]'::json)
  from unnest(${ids}) with ordinality as listed (id, position)
  left join directory.users uo on uo.id = listed.id
  join directory.users us on us.id = coalesce(uo.ghost_id, uo.id, ${ghostId}))`;
