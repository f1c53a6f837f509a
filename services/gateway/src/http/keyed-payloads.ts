import { createHash } from 'node:crypto';
import { isAppError, unavailable } from '@switchyard/errors';
import type {
  IngestionServiceReceiveRequest,
  IngestionServiceReceiveResponse,
} from '@switchyard/protos/alerts/v1/ingestion';
import type { KeptAnswer } from '@switchyard/protos/groups_admin/v1/idempotency';
import { trackBegun } from '@switchyard/rpc';
import type { Request } from 'express';
import { type Attempt, idempotencyKeyOf, type KeyedRequests } from './keyed-requests';

/** What became of a payload. */
export interface PayloadAnswer extends IngestionServiceReceiveResponse {
  /** It is the answer to an earlier one with the same key. */
  readonly isReplayed?: true;
}

/** Answers that the same payload would get again: it was taken, or nothing of it can be stored. */
const lasting = new Set([200, 400]);

/** The receipt is a header, and only bodies are kept. */
const keptOf = ({ status, receiptId, json }: IngestionServiceReceiveResponse): KeptAnswer => ({
  status,
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify([receiptId, Buffer.from(json).toString()])),
});

function answerOf({ status, body }: KeptAnswer): PayloadAnswer {
  const [receiptId, json]: [string, string] = JSON.parse(Buffer.from(body).toString());
  return { status, receiptId, json: Buffer.from(json), retryAfter: 0, isReplayed: true };
}

function refusalOf(error: unknown): PayloadAnswer {
  if (!isAppError(error)) throw error;
  return { status: error.status, receiptId: '', json: Buffer.alloc(0), retryAfter: error.retryAfter ?? 0 };
}

async function carryOut(
  attempt: Attempt,
  receive: () => Promise<IngestionServiceReceiveResponse>,
): Promise<PayloadAnswer> {
  const { result: answer } = await trackBegun(receive).catch(async (error) => {
    await attempt.failed(error);
    throw error;
  });
  await (lasting.has(answer.status) ? attempt.answered(keptOf(answer)) : attempt.failed(unavailable()));
  return answer;
}

/**
 * Has a payload received; with an `Idempotency-Key` once in 24 hours (ADR 50), for each key of an integration. The answer is
 * 400 for what is no key, 409 while the first one is received or where its outcome is unknown, and 422 for another payload.
 * Failures of `receive` are passed on.
 * @param isRight whether the key of the integration is right still: who has lost it gets no earlier answer
 */
export async function receiveOnce(
  keyed: KeyedRequests,
  { request, requestId }: { readonly request: Request; readonly requestId: string },
  payload: IngestionServiceReceiveRequest,
  isRight: () => Promise<boolean>,
  receive: () => Promise<IngestionServiceReceiveResponse>,
): Promise<PayloadAnswer> {
  const begin = async (): Promise<Attempt | KeptAnswer | undefined> => {
    const key = idempotencyKeyOf(request);
    if (key === undefined) return undefined;
    const caller = `alerts:${createHash('sha256').update(payload.key).digest('hex')}`;
    const address = JSON.stringify([payload.projectPath, payload.endpointId]);
    const fingerprint = createHash('sha256').update(address).update(payload.content).digest();
    return keyed.begin({ caller, key, fingerprint }, requestId);
  };
  const begun = await begin().catch(refusalOf);
  if (begun === undefined) return receive();
  if ('json' in begun) return begun;
  if (!('body' in begun)) return carryOut(begun, receive);
  return (await isRight()) ? answerOf(begun) : receive();
}
