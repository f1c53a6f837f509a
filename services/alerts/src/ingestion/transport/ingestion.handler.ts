import { type IngestionServiceReceiveResponse, IngestionServiceService } from '@switchyard/protos/alerts/v1/ingestion';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { AlertIngestion, IngestionReply, PresentedKey } from '../application/receive-alerts';

const nothing = Buffer.alloc(0);

const toResponse = (reply: IngestionReply): IngestionServiceReceiveResponse => ({
  status: reply.status,
  json: 'alerts' in reply ? Buffer.from(JSON.stringify(reply.alerts)) : nothing,
  receiptId: 'receiptId' in reply ? (reply.receiptId ?? '') : '',
  retryAfter: 'retryAfter' in reply ? reply.retryAfter : 0,
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

/** Payloads have a bounded queue of their own: see application/alert-writer.ts. */
const bounded = { callers: ['gateway'], unbounded: true };

/** IngestionService, for the gateway. */
export const ingestionHandler = ({ receiveAlerts, checkKey }: AlertIngestion): ServiceImplementation =>
  implement(
    IngestionServiceService,
    {
      receive: async ({ content, userAgent, ...presented }) =>
        toResponse(await receiveAlerts({ ...toPresentedKey(presented), content, userAgent })),
      checkKey: async (presented) => ({ right: await checkKey(toPresentedKey(presented)) }),
    },
    { receive: bounded, checkKey: bounded },
  );
