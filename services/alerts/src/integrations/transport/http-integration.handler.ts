import { HttpIntegrationServiceService } from '@switchyard/protos/alerts/v1/http_integration';
import {
  type CallContext,
  fixedOrder,
  implement,
  json,
  nothing,
  pageOfRenderedRows,
  type ServiceImplementation,
} from '@switchyard/rpc';
import { scopeOf } from '../../alerts';
import { toWrittenMapping } from '../../payloads';
import type { HttpIntegrations } from '../application/manage-http-integrations';
import type { HttpIntegration, IntegrationType } from '../domain/http-integration';
import { renderHttpIntegration } from '../presenters/http-integration.presenter';

/** Serves `HttpIntegrationService`. */
export function httpIntegrationHandler(integrations: HttpIntegrations, externalUrl: string): ServiceImplementation {
  const shown = (integration: HttpIntegration, { access }: CallContext, key?: string): Buffer =>
    renderHttpIntegration(integration, {
      externalUrl,
      projectPath: access?.fullPath ?? '',
      tier: access?.tier ?? '',
      key,
    });

  return implement(HttpIntegrationServiceService, {
    async listHttpIntegrations({ projectId, page: wanted }, context) {
      const request = fixedOrder(wanted, 'id', 'asc');
      const found = await integrations.list(scopeOf(context, projectId), request);
      const rows = found.rows.map((row) => shown(row, context));
      return pageOfRenderedRows(rows, { ...found.page, keyset: request.mode === 'keyset' });
    },

    getHttpIntegration: async ({ projectId, integrationId }, context) =>
      json(shown(await integrations.get(scopeOf(context, projectId), integrationId), context)),

    async createHttpIntegration({ projectId, mapping, type, ...change }, context) {
      const { integration, key } = await integrations.create(scopeOf(context, projectId), {
        ...change,
        type: type as IntegrationType,
        mapping: mapping?.mappings.map(toWrittenMapping),
      });
      return json(shown(integration, context, key));
    },

    async updateHttpIntegration({ projectId, integrationId, mapping, type, ...change }, context) {
      const integration = await integrations.update(scopeOf(context, projectId), integrationId, {
        ...change,
        type: type as IntegrationType | undefined,
        mapping: mapping?.mappings.map(toWrittenMapping),
      });
      return json(shown(integration, context));
    },

    async deleteHttpIntegration({ projectId, integrationId, ifUnmodifiedSince }, context) {
      await integrations.remove(scopeOf(context, projectId), integrationId, ifUnmodifiedSince);
      return nothing();
    },

    async resetHttpIntegrationToken({ projectId, integrationId }, context) {
      const { integration, key } = await integrations.resetKey(scopeOf(context, projectId), integrationId);
      return json(shown(integration, context, key));
    },
  });
}
