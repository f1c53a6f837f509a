import { type Database, isUniqueViolation, type PageRequest, type SqlExecutor, type Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { conflict, invalid } from '@switchyard/errors';
import { endAccessRequestsOfUser } from '../../access-requests';
import { type StoredAvatar, setAvatar } from '../../avatars';
import { type DirectoryTx, type DirectoryWriter, purgeBegun, userKind } from '../../directory';
import type { Prisma } from '../../generated/prisma/client';
import { choosePrimaryEmail } from '../domain/email';
import type { LockedUser, UserFilter, UserRow } from '../domain/user-row';
import {
  awaitPrimary,
  confirmedAddresses,
  dropAddress,
  forgetWaitingPrimary,
  isAddressOfOther,
  lockAddress,
} from './email.store';
import { publishUserCreated, publishUserRenamed } from './user.events';
import { findUser, listUsers } from './user.list';

/** Its notices wake those who delete users with what they wrote, in all processes. */
const userDeletionChannel = 'switchyard_user_deletions';

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
  if (fields.email !== undefined) await lockAddress(tx, fields.email);
  const found = await takenFields(tx, fields, userId);
  if (found.email) throw conflict('Email has already been taken');
  if (found.username) throw conflict('Username has already been taken');
}

/** Which of an e-mail and a username belong to another user than `userId`. */
async function takenFields(
  db: SqlExecutor,
  fields: { email?: string | undefined; username?: string | undefined },
  userId: number,
): Promise<{ email: boolean; username: boolean }> {
  const [found] = await db.query<{ email: boolean; username: boolean }>(sql`
    select ${isAddressOfOther(fields.email ?? '', userId)} as email,
      exists (select from users where lower(username) = lower(${fields.username ?? ''}::text) and id <> ${userId}::bigint)
      or exists (select from namespaces where lower(full_path) = lower(${fields.username ?? ''}::text)
        and owner_id is distinct from ${userId}::bigint) as username`);
  return found ?? { email: false, username: false };
}

/** Who changes a user, when, and whether a new e-mail needs no confirmation. */
interface UserChange {
  readonly actorId: number;
  readonly at: Date;
  readonly skipReconfirmation: boolean;
  readonly avatar: StoredAvatar | null | undefined;
}

/**
 * Sets the primary e-mail, or makes it wait for its confirmation.
 * @returns the columns to be written
 */
async function changePrimaryEmail(
  tx: DirectoryTx,
  user: LockedUser,
  wanted: string,
  { actorId, at, skipReconfirmation }: UserChange,
): Promise<Pick<Partial<NewUser>, 'email' | 'confirmedAt'>> {
  const ownsWanted = (await confirmedAddresses(tx, user.id)).has(wanted.toLowerCase());
  if (choosePrimaryEmail({ ...user, ownsWanted }, wanted, skipReconfirmation) === 'wait') {
    await awaitPrimary(tx, { userId: user.id, email: wanted, actorId, at });
    return {};
  }
  await forgetWaitingPrimary(tx, user.id, wanted);
  if (wanted.toLowerCase() === user.email.toLowerCase() && user.confirmed) return { email: wanted };
  return { email: wanted, confirmedAt: at };
}

/** Refuses a public e-mail, and one of commits, that is no confirmed one of the user; one that stays is taken. */
async function requireOwned(
  tx: Tx,
  userId: number,
  fields: { publicEmail?: string | null; commitEmail?: string | null },
  before: { public_email: string; commit_email: string | null },
): Promise<void> {
  const wanted = [
    ['public_email', fields.publicEmail, before.public_email],
    ['commit_email', fields.commitEmail, before.commit_email],
  ] as const;
  const changed = wanted.filter(([, address, known]) => address && address.toLowerCase() !== known?.toLowerCase());
  if (changed.length === 0) return;
  const owned = await confirmedAddresses(tx, userId);
  const foreign = changed.filter(([, address]) => !owned.has((address ?? '').toLowerCase()));
  if (foreign.length > 0)
    throw invalid(Object.fromEntries(foreign.map(([field]) => [field, ['is not an email you own']])));
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
    select u.id, u.username, u.name, u.email, u.confirmed_at is not null as confirmed, u.public_email, u.commit_email, u.state,
      ${userKind} as user_type,
      (select n.id from namespaces n where n.owner_id = u.id) as namespace_id
    from users u where u.id = ${userId}::bigint for update of u`);

// Groups `n` without another Owner, by a membership of its own or of a group above it.
const soleOwned = (userId: number): Sql => sql`
  memberships m join namespaces n on n.id = m.namespace_id
  where m.user_id = ${userId}::bigint and m.access_level = 50 and n.marked_for_deletion_at is null
    and not exists (
      select from memberships other
      where other.namespace_id = any (n.ancestry) and other.access_level = 50 and other.user_id <> m.user_id
        and (other.expires_at is null or other.expires_at > now())
        and not exists (select from access_token_bots b where b.user_id = other.user_id))`;

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
    find: (
      userId: number,
      viewerId: number,
      options?: { withCustomAttributes?: boolean },
    ): Promise<UserRow | undefined> => findUser(db, userId, viewerId, options),
    list: (filter: UserFilter, request: PageRequest, viewerId: number) => listUsers(db, filter, request, viewerId),
    taken: (fields: { email?: string | undefined; username?: string | undefined }, userId: number) =>
      takenFields(db, fields, userId),

    create: (fields: NewUser, { actorId, at, avatar }: Omit<UserChange, 'skipReconfirmation'>): Promise<number> =>
      inTransaction(async (client, tx) => {
        await refuseTaken(tx, fields, 0);
        const created = await client.user.create({ data: fields, select: { id: true } });
        const id = Number(created.id);
        await insertUserNamespace(tx, id, fields.username, fields.name);
        await setAvatar(tx, { kind: 'user', id }, avatar);
        if (!fields.confirmedAt) await awaitPrimary(tx, { userId: id, email: fields.email, actorId, at });
        await requireOwned(tx, id, fields, { public_email: '', commit_email: null });
        await publishUserCreated(tx, { userId: id, actorId });
        return id;
      }),

    update: (userId: number, { email, ...fields }: Partial<NewUser>, change: UserChange): Promise<boolean> =>
      inTransaction(async (client, tx) => {
        const user = await lockUser(tx, userId);
        if (user === undefined) return false;
        await refuseTaken(tx, { ...fields, ...(email === undefined ? {} : { email }) }, userId);
        const primary = email === undefined ? {} : await changePrimaryEmail(tx, user, email, change);
        await client.user.update({
          where: { id: BigInt(userId) },
          data: { ...fields, ...primary, updatedAt: new Date() },
          select: { id: true },
        });
        await requireOwned(tx, userId, fields, user);
        if (primary.email !== undefined && primary.email.toLowerCase() !== user.email.toLowerCase())
          await dropAddress(tx, userId, user.email);
        const username = fields.username ?? user.username;
        const name = fields.name ?? user.name;
        const moves = username !== user.username || name !== user.name;
        if (moves && user.namespace_id !== null) await moveUserNamespace(tx, user.namespace_id, username, name);
        await setAvatar(tx, { kind: 'user', id: userId }, change.avatar);
        if (username !== user.username)
          await publishUserRenamed(tx, { userId, actorId: change.actorId, oldUsername: user.username });
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

    requestHardDeletion: (
      userId: number,
      actorId: number,
      check: (user: LockedUser, tx: Tx) => Promise<void>,
    ): Promise<boolean> =>
      inTransaction(async (client, tx) => {
        const user = await lockUser(tx, userId);
        if (user === undefined) return false;
        await check(user, tx);
        await tx.query(sql`
          insert into user_deletions (user_id, actor_id) values (${userId}::bigint, ${actorId}::bigint) on conflict do nothing`);
        await client.user.update({ where: { id: BigInt(userId) }, data: { state: 'blocked' }, select: { id: true } });
        tx.notify(userDeletionChannel);
        return true;
      }),

    onHardDeletions: (wake: () => void): (() => void) => db.notices.listen(userDeletionChannel, wake),

    hardDeletions: (after: number, limit: number): Promise<{ id: number; actorId: number }[]> =>
      db.query(sql`
        select user_id as id, actor_id as "actorId" from user_deletions
        where user_id > ${after}::bigint order by user_id limit ${limit}`),

    markSoleOwnedGroups: (userId: number, limit: number): Promise<number> =>
      inTransaction(async (_client, tx) => {
        const marked = await tx.write(
          'namespace',
          sql`update namespaces set marked_for_deletion_at = ${purgeBegun}, updated_at = now()
            where id in (select n.id from ${soleOwned(userId)} order by n.id limit ${limit}) returning id`,
        );
        return marked.length;
      }),

    delete: (
      userId: number,
      deletedById: number,
      check: (user: LockedUser & { soleOwner: boolean }, tx: Tx, ghostId: number) => Promise<void>,
      { hard }: { readonly hard: boolean },
    ): Promise<boolean> =>
      inTransaction(async (client, tx) => {
        const user = await lockUser(tx, userId);
        if (user === undefined) return false;
        const ghost = await tx.one<{ id: number }>(sql`select id from users where user_type = 'ghost'`);
        if (ghost === undefined) throw new Error('there is no ghost user');
        const sole = await tx.one<{ found: boolean }>(sql`select exists (select from ${soleOwned(userId)}) as found`);
        await check({ ...user, soleOwner: sole?.found ?? false }, tx, ghost.id);
        const held = await tx.query<{ id: number }>(
          sql`select id from memberships where user_id = ${userId}::bigint order by id for update`,
        );
        await tx.erase(
          'membership',
          held.map(({ id }) => id),
        );
        await endAccessRequestsOfUser(tx, userId);
        await tx.query(sql`delete from project_stars where user_id = ${userId}::bigint`);
        await client.personalAccessToken.deleteMany({ where: { userId: BigInt(userId) } });
        if (user.namespace_id !== null) await abandonNamespace(tx, user.namespace_id, hard);
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
 * @param atOnce the purge does not wait for the delay
 */
async function abandonNamespace(tx: DirectoryTx, namespaceId: number, atOnce: boolean): Promise<void> {
  await tx.query(sql`delete from redirect_routes where namespace_id = ${namespaceId}::bigint`);
  await tx.write(
    'namespace',
    sql`update namespaces set owner_id = null, updated_at = now(),
        marked_for_deletion_at = ${atOnce ? purgeBegun : sql`now()`},
        path = '-deleted-' || id, full_path = '-deleted-' || id
      where id = ${namespaceId}::bigint returning id`,
  );
}
