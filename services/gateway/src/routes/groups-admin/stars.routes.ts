import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { StarServiceService } from '@switchyard/protos/groups_admin/v1/star';
import { text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { projectFilters, projectOrders, toProjectFilters } from './projects.routes';

const starRoute = (starred: boolean) =>
  defineRoute({
    method: 'post',
    path: starred ? '/projects/:id/star' : '/projects/:id/unstar',
    section: 'Projects',
    summary: starred ? 'Star a project' : 'Remove the star from a project',
    docs: {
      description: starred
        ? 'Star a project. 304 when the caller starred it before.'
        : 'Remove the star of the caller from a project. 304 when there is none.',
    },
    access: { project: 'read_project' },
    returns: { 201: 'Project', 304: undefined },
    handle: ({ access, call }) => call(StarServiceService).setProjectStar({ projectId: access.id, starred }),
  });

/** Stars of projects (G §10 Projects). */
export const starRoutes = [
  starRoute(true),
  starRoute(false),
  defineRoute({
    method: 'get',
    path: '/projects/:id/starrers',
    section: 'Projects',
    summary: 'List the users who starred a project',
    docs: {
      description:
        'Active users who starred a project, the latest first. Users with a private profile appear to themselves and to administrators alone.',
    },
    access: { project: 'read_project' },
    params: { search: text().optional() },
    list: {},
    returns: { 200: ['Starrer'] },
    handle: ({ params, access, page, call }) =>
      call(StarServiceService).listProjectStarrers({ projectId: access.id, page, search: params.search ?? '' }),
  }),
  defineRoute({
    method: 'get',
    path: '/users/:id/starred_projects',
    section: 'Projects',
    summary: 'List the projects that a user starred',
    docs: {
      description:
        'Projects that a user starred, of those that the caller sees. The list of a user with a private profile is empty for others, except for administrators.',
    },
    access: 'public',
    path_params: { id: text() },
    params: projectFilters,
    list: projectOrders,
    returns: { 200: ['ProjectItem'] },
    handle: ({ params, path, page, call }) =>
      call(ProjectServiceService).listProjects({ ...toProjectFilters(params), starredBy: path.id, page }),
  }),
];
