import type { PageInfo, PageRequest } from '@switchyard/database';
import type { NewKey, PublicKey, UsageType } from '../domain/ssh-key';
import type { DeployKeyProjectRow, SshKeyRow } from '../domain/ssh-key-row';

/** SSH keys of users in the database. */
export interface SshKeyStore {
  /** Id of a user by id in digits or username; undefined when there is none. */
  findUserId(idOrUsername: string): Promise<number | undefined>;
  /** A page of the keys of a user, by id. */
  list(userId: number, request: PageRequest): Promise<{ rows: SshKeyRow[]; page: PageInfo }>;
  /** One key of a user; undefined when the user has none of this id. */
  find(userId: number, keyId: number): Promise<SshKeyRow | undefined>;
  /**
   * Adds a key; returns its id, or undefined when the user was deleted.
   * @throws AppError invalid for a key that exists
   */
  create(userId: number, key: NewKey, usageType: UsageType, creatorId: number): Promise<number | undefined>;
  /** Deletes a key of a user; false when there is none. @throws AppError precondition_failed */
  delete(userId: number, keyId: number, actorId: number, unmodifiedSince?: Date): Promise<boolean>;
  /** Any key, by id or fingerprint. */
  lookUp(name: { id: number } | Pick<PublicKey, 'md5'> | Pick<PublicKey, 'sha256'>): Promise<SshKeyRow | undefined>;
  /** Projects in which a deploy key is enabled, at most 1,000. */
  projectsOf(keyId: number): Promise<DeployKeyProjectRow[]>;
}
