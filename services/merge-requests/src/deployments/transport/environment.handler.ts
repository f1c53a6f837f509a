import { EnvironmentServiceService } from '@switchyard/protos/merge_requests/v1/environment';
import { entity, fixedOrder, implement, nothing, page } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import type { DeploymentEdges } from '../application/deployment.edges';
import type { ManageEnvironments } from '../application/manage-environments';
import type { EnvironmentTier } from '../domain/environment';
import { presentEnvironment, presentEnvironmentDetails, presentReviewApps } from '../presenters/deployment.presenter';

const tier = (text: string): EnvironmentTier | undefined => (text || undefined) as EnvironmentTier | undefined;

/** gRPC side of environments. */
export const environmentHandler = (
  use: ManageEnvironments,
  { environments, externalUrl }: Pick<DeploymentEdges, 'environments' | 'externalUrl'>,
) =>
  implement(EnvironmentServiceService, {
    async listEnvironments(request) {
      const { rows, page: info } = await environments.list(
        request.projectId,
        {
          name: request.name || undefined,
          search: request.search || undefined,
          state: request.state || undefined,
        },
        fixedOrder(request.page, 'name', 'asc'),
      );
      return page(rows.map(presentEnvironment), { ...info, keyset: request.page?.keyset ?? false });
    },

    getEnvironment: async ({ projectId, environmentId }) =>
      entity(presentEnvironmentDetails(await use.get(projectId, environmentId), externalUrl)),

    createEnvironment: async (request, context) =>
      entity(presentEnvironment(await use.create(callerOf(context), { ...request, tier: tier(request.tier) }))),

    updateEnvironment: async ({ projectId, environmentId, clearAutoStopAt, ...patch }, context) =>
      entity(
        presentEnvironment(
          await use.update(callerOf(context), projectId, environmentId, {
            ...patch,
            tier: tier(patch.tier),
            autoStopAt: clearAutoStopAt ? null : patch.autoStopAt,
          }),
        ),
      ),

    stopEnvironment: async ({ projectId, environmentId }, context) =>
      entity(presentEnvironment(await use.stop(callerOf(context), projectId, environmentId))),

    async stopStaleEnvironments({ projectId, before }, context) {
      await use.stopStale(callerOf(context), projectId, before ?? new Date(0));
      return entity({ message: 'Successfully requested stop for all stale environments' });
    },

    async deleteEnvironment({ projectId, environmentId, ifUnmodifiedSince }, context) {
      await use.remove(callerOf(context), projectId, environmentId, ifUnmodifiedSince);
      return nothing();
    },

    deleteReviewApps: async ({ projectId, ...wanted }, context) =>
      entity(
        presentReviewApps(
          await use.removeReviewApps(callerOf(context), projectId, { ...wanted, before: wanted.before }),
        ),
      ),
  });
