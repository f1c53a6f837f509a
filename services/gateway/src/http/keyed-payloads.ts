import { createHash } from 'node:crypto';
import { type AppError, isAppError, unavailable } from '@switchyard/errors';
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

/** The receipt, which is a header, stands before the body. */
const keptOf = ({ status, receiptId, json }: IngestionServiceReceiveResponse): KeptAnswer => ({
  status,
  contentType: 'application/json',
  body: Buffer.concat([Buffer.from(`${receiptId}\n`), json]),
});

function answerOf({ status, body }: KeptAnswer): PayloadAnswer {
  const bytes = Buffer.from(body);
  const end = bytes.indexOf('\n');
  const receiptId = bytes.subarray(0, end).toString();
  return { status, receiptId, json: bytes.subarray(end + 1), retryAfter: 0, isReplayed: true };
}

const refusalOf = ({ status, retryAfter = 0 }: AppError): PayloadAnswer => ({
  status,
  receiptId: '',
  json: Buffer.alloc(0),
  retryAfter,
});

/** Receives a payload and records what became of it. */
async function carryOut(
  attempt: Attempt,
  receive: () => Promise<IngestionServiceReceiveResponse>,
): Promise<PayloadAnswer> {
  const { result: answer } = await trackBegun(receive).catch(async (error) => {
    await attempt.failed(error);
    throw error;
  });
  // Whatever else it answers, nothing has been stored, and what refused it may change.
  await (answer.status === 200 ? attempt.answered(keptOf(answer)) : attempt.failed(unavailable()));
  return answer;
}

/** What carries a payload out that is the first with its key, or the answer to it; neither for one that is received without a key. */
async function lookUp(
  keyed: KeyedRequests,
  { request, requestId }: PayloadRequest,
  payload: IngestionServiceReceiveRequest,
): Promise<{ readonly attempt?: Attempt; readonly answer?: PayloadAnswer }> {
  try {
    const key = idempotencyKeyOf(request);
    if (key === undefined) return {};
    // A key is of one integration, which has several addresses.
    const caller = `alerts:${createHash('sha256').update(payload.key).digest('hex')}`;
    const fingerprint = createHash('sha256').update(payload.content).digest();
    const begun = await keyed.begin({ caller, key, fingerprint }, requestId);
    return 'status' in begun ? { answer: answerOf(begun) } : { attempt: begun };
  } catch (error) {
    // Too many keys: alerts that count twice do less harm than those that are refused.
    if (isAppError(error, 'rate_limited')) return {};
    if (isAppError(error, 'invalid_params', 'conflict', 'unprocessable')) return { answer: refusalOf(error) };
    throw error;
  }
}

/** A request with a payload. */
interface PayloadRequest {
  readonly request: Request;
  readonly requestId: string;
}

/**
 * Has a payload received; with an `Idempotency-Key` once in 24 hours (ADR 50), for each key of an integration. The answer is
 * 400 for what is no key, 409 while the first one is received or where its outcome is unknown, and 422 for another payload.
 * An integration with too many keys has its payloads received as without one. Other failures are passed on.
 * @param isRight whether the key of the integration is right still: who has lost it learns nothing of earlier payloads
 */
export async function receiveOnce(
  keyed: KeyedRequests,
  request: PayloadRequest,
  payload: IngestionServiceReceiveRequest,
  isRight: () => Promise<boolean>,
  receive: () => Promise<IngestionServiceReceiveResponse>,
): Promise<PayloadAnswer> {
  const { attempt, answer } = await lookUp(keyed, request, payload);
  if (attempt !== undefined) return carryOut(attempt, receive);
  return answer !== undefined && (await isRight()) ? answer : receive();
}
