import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { RepositoryServiceService } from '@switchyard/protos/merge_requests/v1/repository';
import { entity } from '@switchyard/rpc';
import { isAble, projectAbilities } from '../../http/abilities';
import { boolean, documented } from '../../http/params';
import { defineRoute } from '../../http/route';
import { shownCustomAttributes } from './custom-attributes.routes';
import { shownStatistics } from './projects.routes';

const jsonOf = ({ json }: { json: Uint8Array }): object => JSON.parse(Buffer.from(json).toString());

/** One project, with what belongs to its repository where that is requested. */
export const projectDetailsRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id',
    section: 'Projects',
    summary: 'Get a project',
    docs: {
      description:
        'Get a project. One that is marked for deletion is shown to its Owners and to administrators, until it is removed.',
    },
    access: { project: 'read_project' },
    includesMarked: true,
    params: {
      statistics: documented(boolean(), shownStatistics).optional(),
      license: boolean().optional(),
      ...shownCustomAttributes,
    },
    limit: 'project',
    returns: { 200: 'Project' },
    handle: async ({ params, actor, access, call }) => {
      const project = await call(ProjectServiceService).getProject({
        projectId: access.id,
        withStatistics: params.statistics,
        withCustomAttributes: params.with_custom_attributes,
      });
      // Callers without a token get the short form of a project, which has no licence.
      if (!params.license || actor.userId === 0 || !isAble(projectAbilities.read_code, access)) return project;
      const license = await call(RepositoryServiceService).getLicense({ projectId: access.id });
      return entity({ ...jsonOf(project), ...jsonOf(license) });
    },
  }),
];
