import type { PageInfo, PageRequest } from '@switchyard/database';
import { invalid, notFound } from '@switchyard/errors';
import type { UserRow } from '../../users';
import type { KeyToAdd, UsageType } from '../domain/ssh-key';
import type { DeployKeyProjectRow, SshKeyRow } from '../domain/ssh-key-row';
import { readFingerprint } from './public-key';
import { requireKey } from './require-key';
import type { SshKeyStore } from './ssh-key.ports';

/** A key with what an administrator is shown of it. */
export interface FoundKey {
  readonly key: SshKeyRow;
  /** Whose key it is, or who added the deploy key; undefined when the user is gone. */
  readonly user: UserRow | undefined;
  /** Of a deploy key. */
  readonly projects: readonly DeployKeyProjectRow[] | undefined;
}

/** How a key is named in a look-up. */
export type KeyName = { readonly id: number } | { readonly fingerprint: string };

/** SSH keys of users, and the look-up of any key (api.md 4.10). */
export function manageSshKeys({
  keys,
  findUser,
}: {
  keys: SshKeyStore;
  findUser(id: number): Promise<UserRow | undefined>;
}) {
  async function requireUser(idOrUsername: string): Promise<number> {
    const id = await keys.findUserId(idOrUsername);
    if (id === undefined) throw notFound('User');
    return id;
  }

  async function find(userId: number, keyId: number): Promise<SshKeyRow> {
    const key = await keys.find(userId, keyId);
    if (key === undefined) throw notFound('Key');
    return key;
  }

  return {
    /** A page of the keys of a user, by id. @throws AppError not_found */
    async list(user: string, request: PageRequest): Promise<{ rows: SshKeyRow[]; page: PageInfo }> {
      return keys.list(await requireUser(user), request);
    },

    /** @throws AppError not_found */
    get: async (user: string, keyId: number): Promise<SshKeyRow> => find(await requireUser(user), keyId),

    /** @throws AppError not_found for the user; invalid with all problems */
    async create(userId: number, given: KeyToAdd, usageType: UsageType, actorId: number): Promise<SshKeyRow> {
      const id = await keys.create(userId, requireKey(given, new Date()), usageType, actorId);
      if (id === undefined) throw notFound('User');
      return find(userId, id);
    },

    /** @throws AppError not_found, precondition_failed */
    async remove(userId: number, keyId: number, actorId: number, unmodifiedSince?: Date): Promise<void> {
      if (!(await keys.delete(userId, keyId, actorId, unmodifiedSince))) throw notFound('Key');
    },

    /** @throws AppError not_found; bad_request for a malformed fingerprint (G-4.10-1, G-4.10-2) */
    async lookUp(name: KeyName): Promise<FoundKey> {
      const searched = 'id' in name ? name : readFingerprint(name.fingerprint);
      if (searched === undefined) throw invalid('Failed to return the key');
      const key = await keys.lookUp(searched);
      if (key === undefined) throw notFound('id' in name ? undefined : 'Key');
      const ownerId = key.user_id ?? key.creator_id;
      const [user, projects] = await Promise.all([
        ownerId === null ? undefined : findUser(ownerId),
        key.kind === 'deploy' ? keys.projectsOf(key.id) : undefined,
      ]);
      return { key, user, projects };
    },
  };
}

/** Use cases of SSH keys. */
export type ManageSshKeys = ReturnType<typeof manageSshKeys>;
