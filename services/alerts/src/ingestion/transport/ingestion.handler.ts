import { type IngestionServiceReceiveResponse, IngestionServiceService } from '@switchyard/protos/alerts/v1/ingestion';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { AlertReception, PresentedKey, Reception } from '../application/receive-alerts';

const nothing = Buffer.alloc(0);

const toResponse = (reception: Reception): IngestionServiceReceiveResponse => ({
  status: reception.status,
  json: 'alerts' in reception ? Buffer.from(JSON.stringify(reception.alerts)) : nothing,
  receiptId: 'receiptId' in reception ? (reception.receiptId ?? '') : '',
  retryAfter: 'retryAfter' in reception ? reception.retryAfter : 0,
});

interface Presented {
  readonly projectPath: string;
  readonly endpointId: string;
  readonly key: string;
}

const toPresentedKey = ({ projectPath, endpointId, key }: Presented): PresentedKey => ({
  path: projectPath,
  endpointId: endpointId === '' ? undefined : endpointId,
  key: key === '' ? undefined : key,
});

/** Payloads have a queue of their own, with its own bounds: see application/alert-writer.ts. */
const bounded = { callers: ['gateway'], unbounded: true };

/** IngestionService, for the gateway. */
export const ingestionHandler = ({ receiveAlerts, checkKey }: AlertReception): ServiceImplementation =>
  implement(
    IngestionServiceService,
    {
      receive: async ({ content, userAgent, ...presented }) =>
        toResponse(await receiveAlerts({ ...toPresentedKey(presented), content, userAgent })),
      checkKey: async (presented) => ({ right: await checkKey(toPresentedKey(presented)) }),
    },
    { receive: bounded, checkKey: bounded },
  );
