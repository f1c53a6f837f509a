import { blobRemains, pruneBlobs } from '@switchyard/blobs';
import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { type KeepAvatar, keepAvatars, manageAvatars } from './application/avatars';
import { avatarStore } from './storage/avatar.store';
import { avatarHandler } from './transport/avatar.handler';

/** Avatars, and how the areas of their owners keep them. */
export interface AvatarArea extends Area {
  readonly keepAvatar: KeepAvatar;
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
    start: () => {
      sweeper = pruneBlobs({ db, remains, blobs });
      return [sweeper];
    },
  };
}
