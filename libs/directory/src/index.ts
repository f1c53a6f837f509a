export {
  accessLevel,
  accessLevelOfUser,
  codeRule,
  everybodysPackages,
  groupMembersAtLevel,
  groupsOfProject,
  inForce,
  inGroup,
  joinProject,
  memberIds,
  memberNamespaces,
  memberProjects,
  membersAtLevel,
  mergeRequestRule,
  openToAllAddresses,
  type ProjectRule,
  packageRule,
  projectsFrom,
  reachedByGroup,
  usersAtLevel,
  usersWhoSee,
  usersWhoSeeGroup,
  userWithLevel,
  type Viewer,
  visibleNamespaces,
  visibleProjects,
} from './access';
export {
  type AttachedLabel,
  type AttachedMilestone,
  labelDetails,
  labelsJson,
  milestoneJson,
  milestoneReference,
} from './attachments';
export { afterDirectory, type Directory, type DirectoryOptions, startDirectory } from './directory';
export { directoryFormat } from './directory-format';
export { type EnsureLabels, labelsOf } from './ensure-labels';
export {
  exportedEvents,
  exportedLabels,
  exportedMilestone,
  exportedTimelogs,
  exportedUser,
  exportedUsers,
} from './exported';
export {
  type HookProjectRow,
  hookGroup,
  hookLabel,
  hookProject,
  hookRepository,
  hookUser,
  sshUrl,
  visibilityLevel,
} from './hook-parts';
export { type ImportedPeople, type ImportRights, importedPeople, UnknownPeople } from './imported';
export { keepInPriorityOrder, putInPriorityOrder } from './keep-in-priority-order';
export {
  type LabelRow,
  labelsByIds,
  labelsByTitles,
  labelsInScope,
  type MilestoneName,
  type MilestoneRow,
  milestoneInScope,
  milestonesByIds,
  milestonesByTitle,
  milestonesInScope,
  namedMilestones,
} from './labels';
export {
  authorIds,
  eachUser,
  labelIds,
  linkedLabels,
  linkedUsers,
  milestoneColumn,
  milestoneIds,
  milestoneWhere,
  userColumn,
} from './matches';
export { directoryMigrations } from './migrations';
export { leastPriority, milestoneDue, type PriorityTables, priorityOrderStore, priorityOrders } from './priority-order';
export {
  type DirectoryProjectRow,
  fullPath,
  fullPathSql,
  groupByPath,
  mergeTrainColumns,
  type NamespaceRow,
  namespacesByIds,
  type ProjectReference,
  type ProjectRow,
  type ProjectSettingsRow,
  projectById,
  projectByPath,
  projectColumns,
  projectOf,
  projectReference,
  projectsByIds,
  projectUrl,
  tierSql,
} from './projects';
export type { DirectoryClient } from './replica';
export {
  type ImportedEvent,
  type ResourceEvent,
  type ResourceEventKind,
  type ResourceEventStore,
  resourceEvent,
  resourceEventKind,
  resourceEventStore,
} from './resource-events';
export {
  type ImportedTimelog,
  mayDeleteTimelog,
  type Timelog,
  type TimelogStore,
  timelog,
  timelogStore,
} from './timelogs';
export { type TrackerLinks, trackerLinksOf } from './tracker-links';
export {
  alertBotId,
  avatarUrl,
  type DirectoryUserRow,
  peopleJson,
  type UserReference,
  type UserRow,
  userColumns,
  userJoin,
  userJson,
  userOf,
  userReference,
  usersByIds,
  usersByUsernames,
  usersJson,
} from './users';
export { writtenNames } from './written-names';
