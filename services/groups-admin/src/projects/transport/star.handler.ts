import { StarServiceService } from '@switchyard/protos/groups_admin/v1/star';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import { given } from '../../wire';
import type { StarStore } from '../application/star.ports';
import type { starProject } from '../application/star-project';
import { type Instance, presentProject } from '../presenters/project.presenter';
import { presentStarrer } from '../presenters/starrer.presenter';

/** Use cases behind StarService. */
export interface StarUseCases {
  starProject: ReturnType<typeof starProject>;
  listStarrers: StarStore['starrers'];
}

/** StarService. */
export const starHandler = ({ starProject, listStarrers }: StarUseCases, instance: Instance): ServiceImplementation =>
  implement(StarServiceService, {
    setProjectStar: async ({ projectId, starred }, context) => {
      const project = await starProject(viewerOf(context), projectId, starred);
      return project === undefined ? nothing(304) : entity(presentProject(project, instance), 201);
    },

    listProjectStarrers: async (request, context) => {
      const asked = fixedOrder(request.page, 'starred_since', 'desc');
      const search = given(request.search);
      const { rows, page: info } = await listStarrers(request.projectId, search, asked, viewerOf(context));
      return page(
        rows.map((starrer) => presentStarrer(starrer, instance.externalUrl)),
        { ...info, keyset: asked.mode === 'keyset' },
      );
    },
  });
