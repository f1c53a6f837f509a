import { blobRemains, pruneBlobs } from '@switchyard/blobs';
import { isAppError } from '@switchyard/errors';
import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { type KeepAvatar, keepAvatars, manageAvatars } from './application/avatars';
import type { AvatarFile } from './domain/avatar';
import { avatarStore } from './storage/avatar.store';
import { avatarHandler } from './transport/avatar.handler';

/** Avatars, and how the areas of their owners keep them. */
export interface AvatarArea extends Area {
  readonly keepAvatar: KeepAvatar;
  /** The picture of a project; undefined for none. Fails with `unavailable`. */
  readonly ofProject: (id: number) => Promise<AvatarFile | undefined>;
}

/** Builds avatars of users, groups, projects and topics. */
export function composeAvatars({ config, db, blobs, observe }: Edges, directory: DirectoryWriter): AvatarArea {
  const remains = blobRemains(db);
  let sweeper: ReturnType<typeof pruneBlobs> | undefined;
  const edges = { avatars: avatarStore(db, directory), blobs, remains, pruneSoon: () => sweeper?.soon() };
  const keepAvatar = keepAvatars(edges);
  const useCases = observe('avatars', manageAvatars(edges, keepAvatar));
  return {
    services: [avatarHandler(useCases, config.SWITCHYARD_EXTERNAL_URL)],
    keepAvatar,
    ofProject: (id) =>
      useCases.read({ kind: 'project', id }, undefined).catch((error: unknown) => {
        if (!isAppError(error, 'not_found')) throw error;
        return undefined;
      }),
    start: () => {
      sweeper = pruneBlobs({ db, remains, blobs });
      return [sweeper];
    },
  };
}
