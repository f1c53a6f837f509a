import { type Outbound, OutboundRefused, type PreparedRequest, shownHeaders } from '@switchyard/outbound';
import { logger } from '@switchyard/telemetry';
import { type Attempt, type DeliveryWithChange, isDelivered, type Outcome } from '../domain/delivery';
import { retrySeconds } from '../domain/retry';
import { CannotBeMade, type Targets } from './delivery.ports';

/** Milliseconds for all requests of one delivery; a lease outlives it. */
export const deliveryTimeoutMs = 30_000;

/** What sends one delivery. */
export type SendDelivery = (leased: DeliveryWithChange) => Promise<Outcome>;

const nothingSent = { attempts: [], responseStatus: undefined, error: undefined, retryAt: undefined } as const;

/**
 * Sends a delivery: its requests one after another, from the first that has not succeeded.
 * @param retries repeats after a failed try
 * @param timeoutMs of one request
 */
export function sendDelivery({
  outbound,
  targets,
  clock,
  retries,
  timeoutMs = 10_000,
}: {
  outbound: Outbound;
  targets: Targets;
  clock: () => Date;
  retries: number;
  timeoutMs?: number;
}): SendDelivery {
  async function attempt(part: PreparedRequest, left: number): Promise<Attempt> {
    const at = clock();
    const started = performance.now();
    const request = {
      url: part.shownUrl ?? part.url,
      requestHeaders: shownHeaders(part),
      requestBody: part.shownBody ?? String(part.body ?? ''),
      at,
    };
    const took = () => Math.round(performance.now() - started);
    try {
      const answer = await outbound.request(part, { timeoutMs: Math.min(timeoutMs, left) });
      return {
        ...request,
        responseStatus: answer.status,
        responseHeaders: answer.headers,
        responseBody: answer.body,
        error: undefined,
        durationMs: took(),
      };
    } catch (error) {
      if (!(error instanceof OutboundRefused)) throw error;
      const refused = { responseStatus: undefined, responseHeaders: {}, responseBody: '' };
      return { ...request, ...refused, error: error.message, durationMs: took() };
    }
  }

  return async ({ delivery, change }) => {
    const target = targets.get(delivery.targetKind);
    const skip = (rule: string): Outcome => ({
      ...nothingSent,
      delivery,
      fate: 'skipped',
      rule,
      partsSent: delivery.partsSent,
    });
    if (target === undefined || change === undefined) return skip('removed');

    const attempts: Attempt[] = [];
    let partsSent = delivery.partsSent;
    let failure: { readonly status: number | undefined; readonly error: string | undefined } | undefined;
    try {
      const parts = await target.prepare(delivery, change);
      if ('skip' in parts) return skip(parts.skip);
      const end = performance.now() + deliveryTimeoutMs;
      for (const part of parts.slice(partsSent)) {
        const made = await attempt(part, Math.max(1, end - performance.now()));
        attempts.push(made);
        if (made.responseStatus === undefined || !isDelivered(made.responseStatus)) {
          failure = { status: made.responseStatus, error: made.error };
          break;
        }
        partsSent += 1;
      }
    } catch (error) {
      logger.warn({ err: error, delivery: delivery.id }, 'a delivery could not be prepared');
      const known = error instanceof CannotBeMade ? error.message : undefined;
      failure = { status: undefined, error: known ?? 'The request could not be made' };
    }
    if (failure === undefined) {
      const responseStatus = attempts.at(-1)?.responseStatus;
      return { ...nothingSent, delivery, fate: 'sent', partsSent, attempts, responseStatus };
    }
    const seconds = retrySeconds(delivery.attempts + 1, retries);
    return {
      delivery,
      fate: seconds === undefined ? 'given_up' : 'failed',
      partsSent,
      attempts,
      responseStatus: failure.status,
      error: failure.error,
      retryAt: seconds === undefined ? undefined : new Date(clock().getTime() + seconds * 1_000),
    };
  };
}
