import { isUniqueViolation, type Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { conflict } from '@switchyard/errors';
import {
  membershipChanges,
  namespaceChanges,
  prismaTransaction,
  recordDirectoryChange,
  tombstoneChanges,
  userChanges,
} from '../../directory';
import type { Prisma, PrismaClient } from '../../generated/prisma/client';

/** A user to make. */
export interface NewUser {
  fields: Omit<Prisma.UserCreateInput, 'id'> & { username: string; name: string; email: string };
}

/** What stands of a user under its lock. */
export interface LockedUser {
  id: number;
  username: string;
  name: string;
  state: string;
  user_type: string;
  namespace_id: number | null;
}

/** Changes of users; each with its change of the directory in one transaction. */
export interface UserStore {
  /** Makes the user and their namespace; returns the id. @throws AppError conflict for a taken e-mail or username */
  create(user: NewUser): Promise<number>;
  /** Changes a user and, with the username, the namespace; false when there is no such user. @throws AppError conflict as in `create` */
  update(userId: number, fields: Prisma.UserUpdateInput & { username?: string; name?: string }): Promise<boolean>;
  /** Locks a user, lets `decide` choose the new state, saves it and what `decide` appends; false when there is no such user. */
  changeState(userId: number, decide: (user: LockedUser, tx: Tx) => Promise<string | undefined>): Promise<boolean>;
  /**
   * Deletes a user: memberships, stars and tokens go, the namespace is marked for deletion and gives its path free, a tombstone points
   * at the ghost (D5). `check` may refuse under the lock; what it appends commits with the deletion. False when there is no such user.
   */
  delete(
    userId: number,
    deletedById: number,
    check: (user: LockedUser & { soleOwner: boolean }, tx: Tx, ghostId: number) => Promise<void>,
  ): Promise<boolean>;
}

/** The texts of GitLab for a taken e-mail or username; every other error as it came. */
function takenError(error: unknown): unknown {
  if (isUniqueViolation(error, 'users_email_unique')) return conflict('Email has already been taken');
  if (isUniqueViolation(error, 'users_username_unique') || isUniqueViolation(error, 'namespaces_full_path'))
    return conflict('Username has already been taken');
  return error;
}

// Asked before the insert, so that a taken e-mail and a taken username are told in this order whatever index is looked at first.
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
export async function insertUserNamespace(tx: Tx, userId: number, username: string, name: string): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    with next as (select nextval(pg_get_serial_sequence('namespaces', 'id')) as id)
    insert into namespaces (id, kind, name, path, ancestry, full_path, full_name, visibility, owner_id, creator_id)
    select id, 'user', ${name}, ${username}, array[id], ${username}, ${name}, 'public', ${userId}::bigint, ${userId}::bigint from next
    returning id`);
  if (row === undefined) throw new Error('the namespace was not inserted');
  return row.id;
}

const lockUser = (tx: Tx, userId: number): Promise<LockedUser | undefined> =>
  tx.one<LockedUser>(sql`
    select u.id, u.username, u.name, u.state, u.user_type,
      (select n.id from namespaces n where n.owner_id = u.id) as namespace_id
    from users u where u.id = ${userId}::bigint for update of u`);

// A group that nobody else owns, by a membership of its own or of a group above it.
const soleOwnerOf = (userId: number): Sql => sql`
  select exists (
    select from memberships m join namespaces n on n.id = m.namespace_id
    where m.user_id = ${userId}::bigint and m.access_level = 50 and n.marked_for_deletion_at is null
      and not exists (
        select from memberships other
        where other.namespace_id = any (n.ancestry) and other.access_level = 50 and other.user_id <> m.user_id
          and (other.expires_at is null or other.expires_at > now()))) as found`;

/** The store over Prisma, with SQL for what Prisma cannot say. */
export function userStore(prisma: PrismaClient): UserStore {
  const inTransaction = async <T>(work: (client: Prisma.TransactionClient, tx: Tx) => Promise<T>): Promise<T> => {
    try {
      return await prismaTransaction(prisma, work);
    } catch (error) {
      throw takenError(error);
    }
  };

  return {
    create: ({ fields }) =>
      inTransaction(async (client, tx) => {
        await refuseTaken(tx, fields, 0);
        const created = await client.user.create({ data: fields, select: { id: true } });
        const id = Number(created.id);
        const namespaceId = await insertUserNamespace(tx, id, fields.username, fields.name);
        await recordDirectoryChange(tx, [
          ...(await userChanges(tx, [id])),
          ...(await namespaceChanges(tx, [namespaceId])),
        ]);
        return id;
      }),

    update: (userId, fields) =>
      inTransaction(async (client, tx) => {
        const user = await lockUser(tx, userId);
        if (user === undefined) return false;
        await refuseTaken(tx, fields as { email?: string; username?: string }, userId);
        await client.user.update({
          where: { id: BigInt(userId) },
          data: { ...fields, updatedAt: new Date() },
          select: { id: true },
        });
        const username = fields.username ?? user.username;
        const name = fields.name ?? user.name;
        const moves = user.namespace_id !== null && (username !== user.username || name !== user.name);
        if (moves) await moveUserNamespace(tx, user.namespace_id as number, username, name);
        await recordDirectoryChange(tx, [
          ...(await userChanges(tx, [userId])),
          ...(moves ? await namespaceChanges(tx, [user.namespace_id as number]) : []),
        ]);
        return true;
      }),

    changeState: (userId, decide) =>
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
        await recordDirectoryChange(tx, await userChanges(tx, [userId]));
        return true;
      }),

    delete: (userId, deletedById, check) =>
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
        const gone = await membershipChanges(
          tx,
          held.map(({ id }) => id),
          true,
        );
        const where = { userId: BigInt(userId) };
        await client.membership.deleteMany({ where });
        await tx.query(sql`
          with gone as (delete from project_stars where user_id = ${userId}::bigint returning project_id)
          update projects set star_count = star_count - 1 where id in (select project_id from gone)`);
        await client.personalAccessToken.deleteMany({ where });
        if (user.namespace_id !== null) await abandonNamespace(tx, user.namespace_id);
        await client.userTombstone.create({
          data: {
            id: BigInt(userId),
            username: user.username,
            name: user.name,
            ghostId: BigInt(ghost.id),
            deletedById: BigInt(deletedById),
          },
        });
        await client.user.delete({ where: { id: BigInt(userId) }, select: { id: true } });
        await recordDirectoryChange(tx, [
          ...gone,
          ...(user.namespace_id === null ? [] : await namespaceChanges(tx, [user.namespace_id])),
          ...(await tombstoneChanges(tx, [userId])),
        ]);
        return true;
      }),
  };
}

/** A new path of a user's namespace; the old one redirects (G-1-7). */
async function moveUserNamespace(tx: Tx, namespaceId: number, path: string, name: string): Promise<void> {
  await tx.query(sql`
    insert into redirect_routes (path, namespace_id)
    select lower(full_path), id from namespaces where id = ${namespaceId}::bigint and lower(full_path) <> lower(${path}::text)
    on conflict (path) do update set namespace_id = excluded.namespace_id, project_id = null, created_at = now()`);
  await tx.query(sql`
    update namespaces set path = ${path}, full_path = ${path}, name = ${name}, full_name = ${name}, updated_at = now()
    where id = ${namespaceId}::bigint`);
}

/** Hides a deleted user's namespace with its projects, and gives its path free for somebody else. No username begins with a dash. */
async function abandonNamespace(tx: Tx, namespaceId: number): Promise<void> {
  await tx.query(sql`delete from redirect_routes where namespace_id = ${namespaceId}::bigint`);
  await tx.query(sql`
    update namespaces set owner_id = null, marked_for_deletion_at = now(), updated_at = now(),
      path = '-deleted-' || id, full_path = '-deleted-' || id
    where id = ${namespaceId}::bigint`);
}
