import { type Database, isUniqueViolation, type PageRequest, type Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { conflict } from '@switchyard/errors';
import type { DirectoryTx, DirectoryWriter } from '../../directory';
import type { Prisma } from '../../generated/prisma/client';
import type { LockedUser, UserFilter, UserRow } from '../domain/user-row';
import { findUser, listUsers } from './user.list';

/** Columns of a user to insert; those of a user to change are all optional. */
type NewUser = Omit<Prisma.UserCreateInput, 'id'> & { username: string; name: string; email: string };

/** The texts of GitLab for a taken e-mail or username; every other error as it came. */
function takenError(error: unknown): unknown {
  if (isUniqueViolation(error, 'users_email_unique')) return conflict('Email has already been taken');
  if (isUniqueViolation(error, 'users_username_unique') || isUniqueViolation(error, 'namespaces_full_path'))
    return conflict('Username has already been taken');
  return error;
}

// Queried before the insert, so that a taken e-mail and a taken username are refused in this order, whatever index is
// checked first.
async function refuseTaken(tx: Tx, fields: { email?: string; username?: string }, userId: number): Promise<void> {
  const [found] = await tx.query<{ email: boolean; username: boolean }>(sql`
    select exists (select from users where lower(email) = lower(${fields.email ?? ''}::text) and id <> ${userId}::bigint) as email,
      exists (select from users where lower(username) = lower(${fields.username ?? ''}::text) and id <> ${userId}::bigint)
      or exists (select from namespaces where lower(full_path) = lower(${fields.username ?? ''}::text)
        and owner_id is distinct from ${userId}::bigint) as username`);
  if (found?.email) throw conflict('Email has already been taken');
  if (found?.username) throw conflict('Username has already been taken');
}

/** A user's namespace: at the top level, public, so that the visibility of what is in it is its own. */
export async function insertUserNamespace(
  tx: DirectoryTx,
  userId: number,
  username: string,
  name: string,
): Promise<void> {
  await tx.write(
    'namespace',
    sql`
    with next as (select nextval(pg_get_serial_sequence('namespaces', 'id')) as id)
    insert into namespaces (id, kind, name, path, ancestry, full_path, full_name, visibility, owner_id, creator_id)
    select id, 'user', ${name}, ${username}, array[id], ${username}, ${name}, 'public', ${userId}::bigint, ${userId}::bigint from next
    returning id`,
  );
}

const lockUser = (tx: Tx, userId: number): Promise<LockedUser | undefined> =>
  tx.one<LockedUser>(sql`
    select u.id, u.username, u.name, u.state, u.user_type,
      (select n.id from namespaces n where n.owner_id = u.id) as namespace_id
    from users u where u.id = ${userId}::bigint for update of u`);

// A group without another Owner, by a membership of its own or of a group above it.
const soleOwnerOf = (userId: number): Sql => sql`
  select exists (
    select from memberships m join namespaces n on n.id = m.namespace_id
    where m.user_id = ${userId}::bigint and m.access_level = 50 and n.marked_for_deletion_at is null
      and not exists (
        select from memberships other
        where other.namespace_id = any (n.ancestry) and other.access_level = 50 and other.user_id <> m.user_id
          and (other.expires_at is null or other.expires_at > now()))) as found`;

/** Users over Prisma, with SQL for what Prisma cannot express. */
export function userStore(db: Database, { prismaTransaction }: DirectoryWriter) {
  const inTransaction = async <T>(
    work: (client: Prisma.TransactionClient, tx: DirectoryTx) => Promise<T>,
  ): Promise<T> => {
    try {
      return await prismaTransaction(work);
    } catch (error) {
      throw takenError(error);
    }
  };

  return {
    find: (userId: number): Promise<UserRow | undefined> => findUser(db, userId),
    list: (filter: UserFilter, request: PageRequest) => listUsers(db, filter, request),

    create: (fields: NewUser): Promise<number> =>
      inTransaction(async (client, tx) => {
        await refuseTaken(tx, fields, 0);
        const created = await client.user.create({ data: fields, select: { id: true } });
        const id = Number(created.id);
        await insertUserNamespace(tx, id, fields.username, fields.name);
        return id;
      }),

    update: (userId: number, fields: Partial<NewUser>): Promise<boolean> =>
      inTransaction(async (client, tx) => {
        const user = await lockUser(tx, userId);
        if (user === undefined) return false;
        await refuseTaken(tx, fields, userId);
        await client.user.update({
          where: { id: BigInt(userId) },
          data: { ...fields, updatedAt: new Date() },
          select: { id: true },
        });
        const username = fields.username ?? user.username;
        const name = fields.name ?? user.name;
        const moves = username !== user.username || name !== user.name;
        if (moves && user.namespace_id !== null) await moveUserNamespace(tx, user.namespace_id, username, name);
        return true;
      }),

    changeState: (
      userId: number,
      decide: (user: LockedUser, tx: Tx) => Promise<string | undefined>,
    ): Promise<boolean> =>
      inTransaction(async (client, tx) => {
        const user = await lockUser(tx, userId);
        if (user === undefined) return false;
        const state = await decide(user, tx);
        if (state === undefined) return true;
        await client.user.update({
          where: { id: BigInt(userId) },
          data: { state, updatedAt: new Date() },
          select: { id: true },
        });
        return true;
      }),

    delete: (
      userId: number,
      deletedById: number,
      check: (user: LockedUser & { soleOwner: boolean }, tx: Tx, ghostId: number) => Promise<void>,
    ): Promise<boolean> =>
      inTransaction(async (client, tx) => {
        const user = await lockUser(tx, userId);
        if (user === undefined) return false;
        const ghost = await tx.one<{ id: number }>(sql`select id from users where user_type = 'ghost'`);
        if (ghost === undefined) throw new Error('there is no ghost user');
        const sole = await tx.one<{ found: boolean }>(soleOwnerOf(userId));
        await check({ ...user, soleOwner: sole?.found ?? false }, tx, ghost.id);
        const held = await tx.query<{ id: number }>(
          sql`select id from memberships where user_id = ${userId}::bigint order by id for update`,
        );
        await tx.erase(
          'membership',
          held.map(({ id }) => id),
        );
        await tx.writeHidden(sql`
          with gone as (delete from project_stars where user_id = ${userId}::bigint returning project_id)
          update projects set star_count = star_count - 1 where id in (select project_id from gone)`);
        await client.personalAccessToken.deleteMany({ where: { userId: BigInt(userId) } });
        if (user.namespace_id !== null) await abandonNamespace(tx, user.namespace_id);
        await client.userTombstone.create({
          data: {
            id: BigInt(userId),
            username: user.username,
            name: user.name,
            ghostId: BigInt(ghost.id),
            deletedById: BigInt(deletedById),
          },
          select: { id: true },
        });
        await client.user.delete({ where: { id: BigInt(userId) }, select: { id: true } });
        return true;
      }),
  };
}

/** A new path of a user's namespace; the old one redirects (G-1-7). */
async function moveUserNamespace(tx: DirectoryTx, namespaceId: number, path: string, name: string): Promise<void> {
  await tx.query(sql`
    insert into redirect_routes (path, namespace_id)
    select lower(full_path), id from namespaces where id = ${namespaceId}::bigint and lower(full_path) <> lower(${path}::text)
    on conflict (path) do update set namespace_id = excluded.namespace_id, project_id = null, created_at = now()`);
  await tx.write(
    'namespace',
    sql`update namespaces set path = ${path}, full_path = ${path}, name = ${name}, full_name = ${name}, updated_at = now()
      where id = ${namespaceId}::bigint returning id`,
  );
}

/**
 * Hides a deleted user's namespace with its projects, and frees its path for another user. No username begins with a
 * dash.
 */
async function abandonNamespace(tx: DirectoryTx, namespaceId: number): Promise<void> {
  await tx.query(sql`delete from redirect_routes where namespace_id = ${namespaceId}::bigint`);
  await tx.write(
    'namespace',
    sql`update namespaces set owner_id = null, marked_for_deletion_at = now(), updated_at = now(),
        path = '-deleted-' || id, full_path = '-deleted-' || id
      where id = ${namespaceId}::bigint returning id`,
  );
}
