import { AppError, badRequest, forbidden, notFound, unavailable } from '@switchyard/errors';
import { TrialServiceService } from '@switchyard/protos/alerts/v1/trial';
import { entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import { scopeOf } from '../../alerts';
import { toWrittenMapping } from '../../payloads';
import type { previewPayload } from '../application/preview-payload';
import type { AlertIngestion, IngestionReply } from '../application/receive-alerts';
import { presentPayloadPreview } from '../presenters/payload-preview.presenter';

/** Use cases behind the service. */
export interface TrialUseCases {
  readonly receiveTestAlert: AlertIngestion['receiveTestAlert'];
  readonly previewPayload: ReturnType<typeof previewPayload>;
}

/** The refusals that a sender would get as a bare status. */
function refusalOf(reply: Exclude<IngestionReply, { status: 200 }>): AppError {
  switch (reply.status) {
    case 404:
      return notFound('HTTP integration');
    case 400:
      return badRequest('not a payload');
    case 429:
      return new AppError('rate_limited', undefined, { retryAfter: reply.retryAfter });
    case 503:
      return unavailable(undefined, reply.retryAfter);
    default:
      return forbidden('the integration is not active');
  }
}

/** Serves `TrialService`. */
export const trialHandler = ({ receiveTestAlert, previewPayload: preview }: TrialUseCases): ServiceImplementation =>
  implement(TrialServiceService, {
    async sendTestAlert({ projectId, integrationId, payload }, context) {
      const scope = scopeOf(context, projectId);
      const reply = await receiveTestAlert(scope.projectId, integrationId, Buffer.from(payload));
      if (reply.status !== 200) throw refusalOf(reply);
      return entity({ receipt_id: reply.receiptId, alerts: reply.alerts });
    },

    async previewPayload({ projectId, integrationId, payload, mapping }, context) {
      const read = await preview({
        projectId: scopeOf(context, projectId).projectId,
        integrationId,
        payload: payload || undefined,
        mapping: mapping?.mappings.map(toWrittenMapping),
      });
      return entity(presentPayloadPreview(read));
    },
  });
