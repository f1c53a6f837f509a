import { ForkServiceService } from '@switchyard/protos/groups_admin/v1/fork';
import { entity, implement, nothing, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import type { Visibility } from '../../rules';
import { given } from '../../wire';
import type { createForkRelation, deleteForkRelation, forkProject } from '../application/fork-project';
import { type Instance, presentProject } from '../presenters/project.presenter';

/** Use cases behind ForkService. */
export interface ForkUseCases {
  forkProject: ReturnType<typeof forkProject>;
  createForkRelation: ReturnType<typeof createForkRelation>;
  deleteForkRelation: ReturnType<typeof deleteForkRelation>;
}

/** ForkService. */
export const forkHandler = (useCases: ForkUseCases, instance: Instance): ServiceImplementation =>
  implement(ForkServiceService, {
    forkProject: async ({ projectId: sourceId, namespace, visibility, ...settings }, context) =>
      entity(
        presentProject(
          await useCases.forkProject(viewerOf(context), {
            sourceId,
            namespace: given(namespace),
            settings: { ...settings, visibility: visibility as Visibility | undefined },
            requestId: context.requestId,
          }),
          instance,
        ),
      ),

    createForkRelation: async ({ projectId, forkedFrom }, context) =>
      entity(presentProject(await useCases.createForkRelation(viewerOf(context), projectId, forkedFrom), instance)),

    deleteForkRelation: async ({ projectId, ifUnmodifiedSince }, { actor }) =>
      nothing((await useCases.deleteForkRelation(actor.userId, projectId, ifUnmodifiedSince)) ? 204 : 304),
  });
