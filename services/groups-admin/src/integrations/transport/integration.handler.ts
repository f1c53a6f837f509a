import { badRequest } from '@switchyard/errors';
import { type IntegrationParameter, IntegrationServiceService } from '@switchyard/protos/groups_admin/v1/integration';
import { entity, implement, nothing, type ServiceImplementation } from '@switchyard/rpc';
import { parentOf } from '../../parents';
import type { ManageIntegrations } from '../application/manage-integrations';
import type { IntegrationPlace, SettingValue } from '../domain/integration';
import { presentIntegration, presentIntegrationWithProperties } from '../presenters/integration.presenter';

/** Projects whose trackers are asked for at once (see the proto). */
const maxTrackers = 100;

/** The place that a request names; none of the two: the instance. */
const placeOf = (wire: { groupId: number; projectId: number } | undefined): IntegrationPlace =>
  wire?.groupId === 0 && wire.projectId === 0 ? { kind: 'instance', id: 0 } : parentOf(wire);

const sentOf = (parameters: readonly IntegrationParameter[]): Record<string, SettingValue> =>
  Object.fromEntries(
    parameters.flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value.$case === 'texts' ? value.value.items : value.value]],
    ),
  );

/** IntegrationService. */
export const integrationHandler = (integrations: ManageIntegrations): ServiceImplementation =>
  implement(
    IntegrationServiceService,
    {
      listIntegrations: async ({ parent }) =>
        entity((await integrations.list(placeOf(parent))).map(presentIntegration)),

      getIntegration: async ({ parent, slug }) =>
        entity(presentIntegrationWithProperties(await integrations.get(placeOf(parent), slug))),

      setIntegration: async ({ parent, slug, parameters, useInheritedSettings }) =>
        entity(
          presentIntegrationWithProperties(
            await integrations.set(placeOf(parent), slug, sentOf(parameters), useInheritedSettings),
          ),
        ),

      disableIntegration: async ({ parent, slug, ifUnmodifiedSince }) => {
        await integrations.disable(placeOf(parent), slug, ifUnmodifiedSince);
        return nothing(204);
      },

      async listTrackers({ projectIds }) {
        if (projectIds.length > maxTrackers) throw badRequest(`at most ${maxTrackers} projects at once`);
        const trackers = await integrations.trackers(projectIds);
        return { trackers: [...trackers].map(([projectId, tracker]) => ({ projectId, ...tracker })) };
      },
    },
    { listTrackers: { callers: ['collaboration', 'merge-requests'] } },
  );
