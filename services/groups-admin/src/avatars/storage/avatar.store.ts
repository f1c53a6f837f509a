import type { Database } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import { notFound, unavailable } from '@switchyard/errors';
import type { DirectoryTx, DirectoryWriter } from '../../directory';
import { type AvatarOwner, avatarPath, type StoredAvatar } from '../domain/avatar';

/** The table of an owner, and its column in `avatars`. */
const places = {
  user: { table: 'users', column: 'user_id', noun: 'User', directory: 'user' },
  group: { table: 'namespaces', column: 'namespace_id', noun: 'Group', directory: 'namespace' },
  project: { table: 'projects', column: 'project_id', noun: 'Project', directory: 'project' },
  topic: { table: 'topics', column: 'topic_id', noun: 'Topic', directory: undefined },
} as const satisfies Record<AvatarOwner['kind'], object>;

const ownedBy = ({ kind, id }: AvatarOwner): Sql => sql`${raw(places[kind].column)} = ${id}::bigint`;

/**
 * Sets the avatar of an owner, or removes it with null, within the transaction that changes the owner; undefined
 * leaves it. The blob must have been recorded in `blob_remains`, and its content written.
 * @throws AppError not_found; unavailable when the blob has been pruned
 */
export async function setAvatar(
  tx: DirectoryTx,
  owner: AvatarOwner,
  avatar: StoredAvatar | null | undefined,
): Promise<void> {
  if (avatar === undefined) return;
  const { table, column, noun, directory } = places[owner.kind];
  const path = avatar === null ? null : avatarPath(owner, avatar.filename);
  // First of all: others who set the avatar of the same owner wait here.
  const update = sql`update ${raw(table)} set avatar_url = ${path}, updated_at = now() where id = ${owner.id}::bigint returning id`;
  const rows = await (directory === undefined ? tx.query(update) : tx.write(directory, update));
  if (rows.length === 0) throw notFound(noun);
  await tx.query(sql`delete from avatars where ${ownedBy(owner)}`);
  if (avatar === null) return;
  const { blob, filename, contentType, size } = avatar;
  const kept = await tx.query(sql`
    with expected as (delete from blob_remains where blob = ${blob} returning blob)
    insert into avatars (blob, ${raw(column)}, filename, content_type, size)
    select blob, ${owner.id}::bigint, ${filename}, ${contentType}, ${size}::int from expected returning 1`);
  if (kept.length === 0) throw unavailable(new Error('the blob of an avatar was pruned while it was expected'));
}

/** Avatars in the database. */
export const avatarStore = (db: Database, { transaction }: Pick<DirectoryWriter, 'transaction'>) => ({
  find: (owner: AvatarOwner): Promise<StoredAvatar | undefined> =>
    db.one<StoredAvatar>(
      sql`select blob, filename, content_type as "contentType", size from avatars where ${ownedBy(owner)}`,
    ),

  async findByEmail(email: string): Promise<string | undefined> {
    const row = await db.one<{ avatar_url: string | null }>(sql`
      select avatar_url from users where public_email <> '' and lower(public_email) = lower(${email}) and state = 'active'
      order by id limit 1`);
    return row?.avatar_url ?? undefined;
  },

  set: (owner: AvatarOwner, avatar: StoredAvatar | null): Promise<void> =>
    transaction((tx) => setAvatar(tx, owner, avatar)),
});
