export { composeDirectory } from './compose';
export type { Viewer } from './domain/access-rules';
export type { DirectoryWriter, Transact } from './storage/directory-writer';
export { directoryWriter } from './storage/directory-writer';
export { publishTier } from './storage/instance.store';
export type { DirectoryTx } from './storage/recorded';
export {
  matches,
  memberGroups,
  memberProjects,
  ownGroups,
  publicViewer,
  visibleGroups,
  visibleProjects,
} from './storage/viewer';
