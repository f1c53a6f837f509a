export { composeShares } from './compose';
export type { Share, SharedGroup } from './domain/share-row';
export { publishShareRemoved } from './storage/share.events';
export {
  groupsInvitedTo,
  groupsSharedWith,
  type InvitedTo,
  projectsSharedWith,
  shareColumns,
  sharedGroupsJson,
} from './storage/share.sql';
