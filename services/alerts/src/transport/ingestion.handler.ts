import { type IngestionServiceReceiveResponse, IngestionServiceService } from '@switchyard/protos/alerts/v1/ingestion';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { AlertReception, Reception } from '../application/receive-alerts';

const nothing = Buffer.alloc(0);

const toResponse = (reception: Reception): IngestionServiceReceiveResponse => ({
  status: reception.status,
  json: 'alerts' in reception ? Buffer.from(JSON.stringify(reception.alerts)) : nothing,
  receiptId: 'receiptId' in reception ? (reception.receiptId ?? '') : '',
  retryAfter: 'retryAfter' in reception ? reception.retryAfter : 0,
});

/** IngestionService, for the gateway. */
export const ingestionHandler = ({ receiveAlerts }: AlertReception): ServiceImplementation =>
  implement(IngestionServiceService, {
    receive: async ({ projectPath, endpointId, key, content, userAgent }) =>
      toResponse(
        await receiveAlerts({
          path: projectPath,
          endpointId: endpointId === '' ? undefined : endpointId,
          key: key === '' ? undefined : key,
          content,
          userAgent,
        }),
      ),
  });
