import { GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { GroupProjects, ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { ShareServiceService } from '@switchyard/protos/groups_admin/v1/share';
import { date, integer, manyOf, nullable, oneOfIntegers } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { levelsFromGuest } from './access-levels';
import { shownCustomAttributes } from './custom-attributes.routes';
import { groupFilters, groupOrders, toGroupFilters } from './groups.routes';
import { type ParentKind, parentOf } from './parents';
import { projectFilters, projectOrders, toProjectFilters } from './projects.routes';

const invited = { group_id: integer({ min: 1 }) };

const sectionOf = { group: 'Groups', project: 'Projects' } as const;

const { search, visibility, min_access_level, skip_groups } = groupFilters;

const { archived, simple, starred, with_issues_enabled, with_merge_requests_enabled } = projectFilters;

/** The filters of projects that make sense of what is shared with a group. */
const ofSharedProjects = {
  archived,
  simple,
  starred,
  with_issues_enabled,
  with_merge_requests_enabled,
  search: projectFilters.search,
  visibility: projectFilters.visibility,
  min_access_level: projectFilters.min_access_level,
  ...shownCustomAttributes,
};

/** Shares of groups and of projects are one resource on two paths. */
const shareRoutesOf = (kind: ParentKind): Route[] => {
  const read = kind === 'group' ? ({ group: 'read_group' } as const) : ({ project: 'read_project' } as const);
  const administer =
    kind === 'group' ? ({ group: 'admin_group_member' } as const) : ({ project: 'admin_project_member' } as const);
  const section = sectionOf[kind];
  return [
    defineRoute({
      method: 'post',
      path: `/${kind}s/:id/share`,
      section,
      summary: `Share a ${kind} with a group`,
      docs: {
        description:
          'The members of the invited group, inherited ones included, become members here and in all below, at no more than the given level.',
        fails: [409],
        example: { group_id: 12, group_access: 30 },
      },
      access: administer,
      params: {
        ...invited,
        group_access: oneOfIntegers(...levelsFromGuest),
        expires_at: nullable(date()).optional(),
      },
      returns: { 201: kind === 'group' ? 'Group' : 'ProjectShare' },
      handle: ({ params, access, call }) =>
        call(ShareServiceService).createShare({
          source: parentOf(kind, access),
          groupId: params.group_id,
          accessLevel: params.group_access,
          expiresAt: params.expires_at ?? '',
        }),
    }),
    defineRoute({
      method: 'delete',
      path: `/${kind}s/:id/share/:group_id`,
      section,
      summary: `End the share of a ${kind} with a group`,
      docs: { fails: [412] },
      access: administer,
      path_params: invited,
      returns: { 204: undefined },
      handle: ({ path, access, unmodifiedSince, call }) =>
        call(ShareServiceService).deleteShare({
          source: parentOf(kind, access),
          groupId: path.group_id,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
    defineRoute({
      method: 'get',
      path: `/${kind}s/:id/invited_groups`,
      section,
      summary: `List the groups that a ${kind} is shared with`,
      access: read,
      params: {
        search,
        min_access_level,
        relation: manyOf('direct', 'inherited').optional(),
        ...shownCustomAttributes,
      },
      list: {},
      returns: { 200: ['GroupItem'] },
      handle: ({ params, access, page, call }) => {
        const { relation = [], ...filters } = params;
        const of = (one: 'direct' | 'inherited') => relation.length === 0 || relation.includes(one);
        const invitedTo = {
          source: parentOf(kind, access),
          direct: of('direct'),
          inherited: of('inherited'),
        };
        return call(GroupServiceService).listGroups({
          ...toGroupFilters(filters),
          invitedTo,
          page: { ...page, orderBy: 'id' },
        });
      },
    }),
  ];
};

/** Sharing with groups (G-4.15-4, G-4.15-8). */
export const shareRoutes: Route[] = [
  ...shareRoutesOf('group'),
  ...shareRoutesOf('project'),
  defineRoute({
    method: 'get',
    path: '/groups/:id/groups/shared',
    section: 'Groups',
    summary: 'List the groups that are shared with a group',
    access: { group: 'read_group' },
    params: { skip_groups, search, visibility, min_access_level, ...shownCustomAttributes },
    list: groupOrders,
    returns: { 200: ['GroupItem'] },
    handle: ({ params, access, page, call }) =>
      call(GroupServiceService).listGroups({ ...toGroupFilters(params), sharedWithGroupId: access.id, page }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/projects/shared',
    section: 'Groups',
    summary: 'List the projects that are shared with a group',
    access: { group: 'read_group' },
    params: ofSharedProjects,
    list: projectOrders,
    returns: { 200: ['ProjectItem'] },
    handle: ({ params, access, page, call }) =>
      call(ProjectServiceService).listProjects({
        ...toProjectFilters(params),
        groupId: access.id,
        groupProjects: GroupProjects.GROUP_PROJECTS_SHARED,
        page,
      }),
  }),
];
