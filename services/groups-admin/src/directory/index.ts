export { composeDirectory } from './compose';
export { isVisible, type Viewer } from './domain/access-rules';
export { directoryHead } from './storage/directory-head';
export type { DirectoryWriter, Transact } from './storage/directory-writer';
export { directoryWriter } from './storage/directory-writer';
export { publishTier } from './storage/instance.store';
export { type Reached, sharedMemberships, sharesOf, waysBelow, waysOf } from './storage/reach';
export { type DirectoryTx, recorded } from './storage/recorded';
export { targetRights } from './storage/target-rights.store';
export { isNoInternalUser, userKind } from './storage/user-kind.sql';
export { isUserNamed } from './storage/user-name.sql';
export {
  matches,
  memberGroups,
  memberProjects,
  ownGroups,
  publicViewer,
  purgeBegun,
  restorableGroups,
  restorableProjects,
  visibleGroups,
  visibleProjects,
} from './storage/viewer';
