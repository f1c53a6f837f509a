import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { BlobRemains, BlobStore } from '@switchyard/blobs';
import { isAppError, notFound, unavailable } from '@switchyard/errors';
import { refuse } from '../../rules';
import {
  type AvatarChange,
  type AvatarOwner,
  avatarPath,
  avatarProblems,
  readAvatar,
  type StoredAvatar,
} from '../domain/avatar';

/** Avatars in the database. */
export interface AvatarStore {
  find(owner: AvatarOwner): Promise<StoredAvatar | undefined>;
  /** Path of the avatar of the active user with this public e-mail; undefined for none. */
  findByEmail(email: string): Promise<string | undefined>;
  /** Sets or removes an avatar in a transaction of its own. @throws AppError not_found */
  set(owner: AvatarOwner, avatar: StoredAvatar | null): Promise<void>;
}

/** What the use cases of avatars are built from. */
export interface AvatarEdges {
  readonly avatars: AvatarStore;
  readonly blobs: BlobStore;
  readonly remains: BlobRemains;
  /** Starts pruning of due blobs soon. */
  readonly pruneSoon: () => void;
}

/**
 * Writes the content of a change, then has `save` commit what names it: null removes the avatar, undefined leaves it.
 * A change with problems is not written; `save` refuses it with its other problems. When `save` fails, nothing is kept.
 * Fails with `unavailable` when the store does.
 */
export type KeepAvatar = <T>(
  change: AvatarChange | undefined,
  save: (avatar: StoredAvatar | null | undefined) => Promise<T>,
) => Promise<T>;

/** A store that is full or cannot be reached is not the caller's fault. */
function asUnavailable(error: unknown): never {
  throw isAppError(error) ? error : unavailable(error);
}

/** Keeps the contents of avatars while their owners change. */
export function keepAvatars({ blobs, remains, pruneSoon }: Omit<AvatarEdges, 'avatars'>): KeepAvatar {
  return async (change, save) => {
    const read = change?.file === undefined ? undefined : readAvatar(change.file);
    if (change?.file === undefined || read === undefined || 'problems' in read) {
      const saved = await save(change !== undefined && change.file === undefined ? null : undefined);
      if (change !== undefined) pruneSoon();
      return saved;
    }
    const blob = `avatars/${randomUUID()}`;
    await remains.expect(blob);
    try {
      await blobs.write(blob, Readable.from([change.file.content])).catch(asUnavailable);
      const saved = await save({ blob, ...read.avatar });
      pruneSoon();
      return saved;
    } catch (error) {
      // If this fails too, the blob is pruned after an hour.
      await remains.discard(blob).then(pruneSoon, () => undefined);
      throw error;
    }
  };
}

/** The use cases of avatars that have no other field beside them. */
export const manageAvatars = ({ avatars, blobs }: AvatarEdges, keep: KeepAvatar) => ({
  /**
   * The content of an avatar, which is small enough for one message.
   * @param filename name that it must have; undefined for any
   * @throws AppError not_found; unavailable when the store cannot be read
   */
  async read(owner: AvatarOwner, filename: string | undefined): Promise<StoredAvatar & { readonly content: Buffer }> {
    const avatar = await avatars.find(owner);
    if (avatar === undefined || (filename !== undefined && filename !== avatar.filename)) throw notFound('Avatar');
    const stored = await blobs.open(avatar.blob).catch(asUnavailable);
    // Replaced in the meantime, and pruned.
    if (stored === undefined) throw notFound('Avatar');
    return { ...avatar, content: await buffer(stored.content).catch(asUnavailable) };
  },

  /** Path of the avatar of the active user with this public e-mail; undefined for none. */
  findByEmail: (email: string): Promise<string | undefined> => avatars.findByEmail(email),

  /**
   * Sets or removes the avatar of a user.
   * @returns its path; undefined when it was removed
   * @throws AppError invalid with texts by field; not_found; unavailable
   */
  setOwn: (userId: number, change: AvatarChange): Promise<string | undefined> =>
    keep(change, async (avatar = null) => {
      const problems = avatarProblems(change);
      if (problems.length > 0) refuse({ avatar: [...problems] });
      const owner = { kind: 'user', id: userId } as const;
      await avatars.set(owner, avatar);
      return avatar === null ? undefined : avatarPath(owner, avatar.filename);
    }),
});
