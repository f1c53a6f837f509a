import type { ListGroupsRequest } from '@switchyard/protos/groups_admin/v1/group';
import { GroupProjects, type ListProjectsRequest } from '@switchyard/protos/groups_admin/v1/project';

/** Groups without any filter. */
export const allGroups: ListGroupsRequest = {
  page: undefined,
  parentId: 0,
  ancestorId: 0,
  skipGroups: [],
  search: '',
  visibility: '',
  owned: false,
  minAccessLevel: 0,
  topLevelOnly: false,
  sharedWithGroupId: 0,
  invitedTo: undefined,
};

/** Projects without any filter. */
export const allProjects: ListProjectsRequest = {
  page: undefined,
  groupId: 0,
  includeSubgroups: false,
  includeAncestorGroups: false,
  user: '',
  visibility: '',
  search: '',
  searchNamespaces: false,
  simple: false,
  owned: false,
  membership: false,
  starred: false,
  minAccessLevel: 0,
  withIssuesEnabled: false,
  withMergeRequestsEnabled: false,
  topics: [],
  topicId: 0,
  forksOf: 0,
  idAfter: 0,
  idBefore: 0,
  lastActivityAfter: undefined,
  lastActivityBefore: undefined,
  updatedAfter: undefined,
  updatedBefore: undefined,
  groupProjects: GroupProjects.GROUP_PROJECTS_UNSPECIFIED,
};
