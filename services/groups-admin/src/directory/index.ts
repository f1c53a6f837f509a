export type { Viewer } from './domain/viewing';
export {
  labelChanges,
  membershipChanges,
  milestoneChanges,
  namespaceChanges,
  projectChanges,
} from './storage/directory-rows';
export { tombstoneChanges, userChanges } from './storage/directory-user-rows';
export { recordDirectoryChange } from './storage/directory-writer';
export { prismaStatement, prismaTransaction } from './storage/prisma-transaction';
export {
  matches,
  memberGroups,
  memberProjects,
  nobody,
  ownGroups,
  visibleGroups,
  visibleProjects,
} from './storage/viewer';
