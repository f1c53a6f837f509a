import { ForkServiceService } from '@switchyard/protos/groups_admin/v1/fork';
import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { mutuallyExclusive } from '../../http/check-parameters';
import { boolean, documented, integer, nullable, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, displayName, pathPart, refName } from '../field-facts';
import { defaultTargetSelf, projectFilters, projectOrders, toProjectFilters } from './projects.routes';

/** Forks of projects. */
export const forkRoutes = [
  defineRoute({
    method: 'post',
    path: '/projects/:id/fork',
    section: 'Projects',
    summary: 'Fork a project',
    docs: {
      description:
        'Fork a project, into the namespace of the caller or another one. Name, path and description are those of the project, its visibility is narrowed to that of the namespace. The repository is copied afterwards, or when it is first used; `import_status` says how that ended.',
      example: { namespace_path: 'acme', name: 'Our own web', path: 'web' },
      fails: [409],
    },
    access: { project: 'read_project' },
    groupsIn: ['namespace', 'namespace_id', 'namespace_path'],
    params: {
      namespace: documented(text({ notEmpty: true }), { description: 'Id or full path.' }).optional(),
      namespace_id: integer({ min: 1 }).optional(),
      namespace_path: text({ notEmpty: true }).optional(),
      name: documented(text(), displayName).optional(),
      path: documented(text(), pathPart).optional(),
      description: documented(nullable(text()), atMost(2_000)).optional(),
      visibility: documented(oneOf('private', 'internal', 'public'), {
        description: 'Narrowed to that of the project and of the namespace.',
      }).optional(),
      branches: documented(text(), {
        ...refName,
        description:
          'The only branch to copy, which must exist; it becomes the default branch. All branches and tags when empty.',
      }).optional(),
      mr_default_target_self: documented(boolean(), defaultTargetSelf).optional(),
    },
    relations: [mutuallyExclusive('namespace', 'namespace_id', 'namespace_path')],
    returns: { 201: 'Project' },
    handle: ({ params, access, call }) =>
      call(ForkServiceService).forkProject({
        projectId: access.id,
        namespace: String(params.namespace_id ?? params.namespace_path ?? params.namespace ?? ''),
        name: params.name,
        path: params.path,
        description: params.description === null ? '' : params.description,
        visibility: params.visibility,
        branch: params.branches || undefined,
        mrDefaultTargetSelf: params.mr_default_target_self,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/forks',
    section: 'Projects',
    summary: 'List the forks of a project',
    docs: { description: 'List the forks of a project that the caller may see.' },
    access: { project: 'read_project' },
    params: projectFilters,
    list: projectOrders,
    returns: { 200: ['ProjectItem'] },
    handle: ({ params, access, page, call }) =>
      call(ProjectServiceService).listProjects({ ...toProjectFilters(params), forksOf: access.id, page }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/fork/:forked_from_id',
    section: 'Projects',
    summary: 'Make a project a fork of another one',
    docs: {
      description:
        'Make a project that is no fork a fork of another one, which the caller may fork. Their contents stay as they are.',
      fails: [409],
    },
    access: { project: 'admin_project' },
    path_params: { forked_from_id: text() },
    returns: { 201: 'Project' },
    handle: ({ path, access, call }) =>
      call(ForkServiceService).createForkRelation({ projectId: access.id, forkedFrom: path.forked_from_id }),
  }),
  defineRoute({
    method: 'delete',
    path: '/projects/:id/fork',
    section: 'Projects',
    summary: 'Remove the relation of a fork',
    docs: {
      description:
        'Remove the relation of a fork to the project that it was forked from. Its own forks lose theirs to it. 304 for a project that is no fork.',
      fails: [412],
    },
    access: { project: 'remove_project' },
    returns: { 204: undefined, 304: undefined },
    handle: ({ access, unmodifiedSince, call }) =>
      call(ForkServiceService).deleteForkRelation({ projectId: access.id, ifUnmodifiedSince: unmodifiedSince }),
  }),
];
