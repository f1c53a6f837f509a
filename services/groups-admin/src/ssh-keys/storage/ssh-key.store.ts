import {
  type Database,
  databaseError,
  isForeignKeyViolation,
  isUniqueViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type DirectoryWriter, isNoInternalUser, isUserNamed } from '../../directory';
import { keyTaken, type NewKey, type PublicKey, type UsageType } from '../domain/ssh-key';
import type { DeployKeyProjectRow, SshKeyRow } from '../domain/ssh-key-row';
import { keyColumns } from './ssh-key.columns';
import { publishKey } from './ssh-key.events';

const from = sql`ssh_keys k left join users u on u.id = k.user_id`;

/** Most projects that a look-up shows. */
const maxShownProjects = 1_000;

/** SSH keys of users in the database. */
export const sshKeyStore = (db: Database, { prismaTransaction }: DirectoryWriter) => ({
  async findUserId(idOrUsername: string): Promise<number | undefined> {
    const row = await db.one<{ id: number }>(
      sql`select u.id from users u where ${isUserNamed(idOrUsername)} and ${isNoInternalUser}`,
    );
    return row?.id;
  },

  list: (userId: number, request: PageRequest): Promise<{ rows: SshKeyRow[]; page: PageInfo }> =>
    listPage<SshKeyRow>({
      db,
      name: 'list_ssh_keys',
      select: keyColumns,
      from,
      where: [sql`k.user_id = ${userId}`],
      orders: { id: [{ name: 'id', expression: sql`k.id`, type: 'bigint' }] },
      request,
      count: true,
    }),

  find: (userId: number, keyId: number): Promise<SshKeyRow | undefined> =>
    db.one<SshKeyRow>(sql`select ${keyColumns} from ${from} where k.id = ${keyId} and k.user_id = ${userId}`),

  async create(
    userId: number,
    { title, publicKey, expiresAt }: NewKey,
    usageType: UsageType,
    creatorId: number,
  ): Promise<number | undefined> {
    try {
      return await prismaTransaction(async (client, tx) => {
        const created = await client.sshKey.create({
          data: {
            kind: 'user',
            userId: BigInt(userId),
            creatorId: BigInt(creatorId),
            title,
            key: publicKey.text,
            fingerprintMd5: publicKey.md5,
            fingerprintSha256: publicKey.sha256,
            usageType,
            expiresAt,
          },
          select: { id: true },
        });
        const keyId = Number(created.id);
        await publishKey(tx, 'added', { keyId, userId, actorId: creatorId, key: publicKey.text });
        return keyId;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'ssh_keys_sha256')) throw keyTaken();
      if (isForeignKeyViolation(error)) return undefined;
      throw databaseError(error);
    }
  },

  delete: (userId: number, keyId: number, actorId: number, unmodifiedSince?: Date): Promise<boolean> =>
    prismaTransaction(async (_client, tx) => {
      await requireUnmodified(tx, 'ssh_keys', keyId, unmodifiedSince);
      const [removed] = await tx.query<{ key: string }>(
        sql`delete from ssh_keys where id = ${keyId} and user_id = ${userId} returning key`,
      );
      if (removed === undefined) return false;
      await publishKey(tx, 'removed', { keyId, userId, actorId, key: removed.key });
      return true;
    }),

  lookUp: (
    name: { id: number } | Pick<PublicKey, 'md5'> | Pick<PublicKey, 'sha256'>,
  ): Promise<SshKeyRow | undefined> => {
    const named =
      'id' in name
        ? sql`k.id = ${name.id}`
        : 'md5' in name
          ? sql`k.fingerprint_md5 = ${name.md5}`
          : sql`k.fingerprint_sha256 = ${name.sha256}`;
    return db.one<SshKeyRow>(sql`select ${keyColumns} from ${from} where ${named} order by k.id limit 1`);
  },

  projectsOf: (keyId: number): Promise<DeployKeyProjectRow[]> =>
    db.query(sql`
      select id, deploy_key_id, project_id, can_push, created_at, updated_at from deploy_key_projects
      where deploy_key_id = ${keyId} order by id limit ${maxShownProjects}`),
});
