import type { ListGroupsRequest } from '@switchyard/protos/groups_admin/v1/group';
import type { ListProjectsRequest } from '@switchyard/protos/groups_admin/v1/project';

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
  idAfter: 0,
  idBefore: 0,
  lastActivityAfter: undefined,
  lastActivityBefore: undefined,
  updatedAfter: undefined,
  updatedBefore: undefined,
};
