import { AppError, retrySeconds, unavailable } from '@switchyard/errors';
import type { Request, Response } from 'express';
import type { BodyReservation } from './body-memory';
import { sendContinue } from './unread-body';

/**
 * How long a sender is waited for: `graceMs` milliseconds, and one more for every `bytesPerMs` bytes that have come.
 */
export interface MinimumRate {
  readonly graceMs: number;
  readonly bytesPerMs: number;
}

/** How a body is received. */
export interface Reception {
  /** Most bytes. */
  readonly limit: number;
  readonly minimumRate: MinimumRate;
  /** Memory that its bytes are held in. */
  readonly hold: BodyReservation;
  /** Inspects bytes as they come; what it returns refuses the rest. */
  readonly inspect?: (bytes: Buffer) => AppError | undefined;
}

/** True for a body whose announced length is above `limit` bytes. */
const isAnnouncedTooLong = (request: Request, limit: number): boolean =>
  Number(request.headers['content-length'] ?? 0) > limit;

/** Bytes that grow together: small pieces that were kept one by one would hold many times their size. */
function growing(announced: number, limit: number) {
  const most = announced > 0 ? announced : limit;
  let bytes = Buffer.allocUnsafeSlow(Math.min(most, 16 << 10));
  let size = 0;
  return {
    add(chunk: Buffer): void {
      if (size + chunk.length > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(size + chunk.length, Math.min(most, 2 * bytes.length)));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      chunk.copy(bytes, size);
      size += chunk.length;
    },
    all: () => bytes.subarray(0, size),
  };
}

/**
 * Reads a whole body, as it was sent; sends 100 Continue where the sender waits for it. A body that is refused is
 * dropped, and not read to its end. Refusals: `too_large` as soon as that is known, `unavailable` when there is no
 * room, `request_timeout` for a sender that is too slow or has disconnected, and what `inspect` returns.
 */
export function receiveBody(request: Request, response: Response, reception: Reception): Promise<Buffer> {
  const { limit, minimumRate, hold, inspect } = reception;
  if (isAnnouncedTooLong(request, limit)) return Promise.reject(new AppError('too_large'));
  if (request.destroyed) return Promise.reject(new AppError('request_timeout'));
  sendContinue(request, response);
  return new Promise((resolve, reject) => {
    const body = growing(Number(request.headers['content-length'] ?? 0), limit);
    const startedAt = performance.now();
    let size = 0;
    let isSettled = false;
    let timer = setTimeout(watch, minimumRate.graceMs);

    function settle(): void {
      isSettled = true;
      clearTimeout(timer);
      request.off('data', take).off('end', finish).off('error', leave).off('close', leave);
    }
    function refuse(error: AppError): void {
      settle();
      request.pause();
      hold.release();
      reject(error);
    }
    function watch(): void {
      const left = startedAt + minimumRate.graceMs + size / minimumRate.bytesPerMs - performance.now();
      if (left <= 0) refuse(new AppError('request_timeout'));
      else timer = setTimeout(watch, left);
    }
    function take(chunk: Buffer): void {
      size += chunk.length;
      const problem = size > limit ? new AppError('too_large') : inspect?.(chunk);
      if (problem !== undefined) return void refuse(problem);
      const taken = hold.take(chunk.length);
      if (taken === true) body.add(chunk);
      else if (taken === false) refuse(unavailable(undefined, retrySeconds()));
      else {
        request.pause();
        void taken.then((admitted) => {
          if (isSettled) return;
          if (!admitted) return void refuse(unavailable(undefined, retrySeconds()));
          body.add(chunk);
          request.resume();
        });
      }
    }
    function finish(): void {
      settle();
      resolve(body.all());
    }
    function leave(): void {
      refuse(new AppError('request_timeout'));
    }
    request.on('data', take).once('end', finish).once('error', leave).once('close', leave);
    // Paused by one that was to read it before.
    request.resume();
  });
}
