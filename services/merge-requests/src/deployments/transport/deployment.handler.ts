import { notFound } from '@switchyard/errors';
import { DeploymentServiceService } from '@switchyard/protos/merge_requests/v1/deployment';
import { entity, implement, nothing, page, pageRequest } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import type { DeploymentEdges } from '../application/deployment.edges';
import type { ManageDeployments } from '../application/manage-deployments';
import type { DeploymentStatus } from '../domain/deployment';
import { presentDeployment } from '../presenters/deployment.presenter';

/** gRPC side of deployments. */
export const deploymentHandler = (
  use: ManageDeployments,
  { deployments, externalUrl }: Pick<DeploymentEdges, 'deployments' | 'externalUrl'>,
) =>
  implement(DeploymentServiceService, {
    async listDeployments(request) {
      const { rows, page: info } = await deployments.list(
        request.projectId,
        {
          environment: request.environment || undefined,
          status: request.status || undefined,
          updatedAfter: request.updatedAfter,
          updatedBefore: request.updatedBefore,
          finishedAfter: request.finishedAfter,
          finishedBefore: request.finishedBefore,
        },
        pageRequest(request.page, { orderBy: 'id' }),
      );
      return page(
        rows.map((view) => presentDeployment(view, externalUrl)),
        { ...info, keyset: request.page?.keyset ?? false },
      );
    },

    async getDeployment({ projectId, deploymentId }) {
      const view = await deployments.find(projectId, deploymentId);
      if (view === undefined) throw notFound();
      return entity(presentDeployment(view, externalUrl));
    },

    createDeployment: async (request, context) =>
      entity(
        presentDeployment(
          await use.create(callerOf(context), { ...request, status: request.status as DeploymentStatus }),
          externalUrl,
        ),
      ),

    updateDeployment: async ({ projectId, deploymentId, status }, context) =>
      entity(
        presentDeployment(
          await use.update(callerOf(context), projectId, deploymentId, status as DeploymentStatus),
          externalUrl,
        ),
      ),

    async deleteDeployment({ projectId, deploymentId, ifUnmodifiedSince }, context) {
      await use.remove(callerOf(context), projectId, deploymentId, ifUnmodifiedSince);
      return nothing();
    },
  });
