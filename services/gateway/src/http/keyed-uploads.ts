import { AppError, isAppError, mayHaveBegun, unavailable } from '@switchyard/errors';
import type { KeptAnswer } from '@switchyard/protos/groups_admin/v1/idempotency';
import type { Request, Response } from 'express';
import { bodyDigest } from './body-digest';
import type { Attempt } from './keyed-requests';
import { streamBody } from './stream-body';

/** An upload with a key while it is carried out (ADR 50). */
export interface KeyedUpload {
  /** Digests what is streamed on from now on. */
  watch(): void;
  /** Whether all of it has been streamed on. Services begin nothing before they have the end of a body. */
  isWhole(): boolean;
  /** Keeps the reply of the service, before it is sent, with what was sent for it. */
  answered(reply: KeptAnswer): Promise<void>;
  /** Keeps that there is none. What did not come whole, or could not be sent, frees the key. */
  failed(error: unknown): Promise<void>;
}

/** Milliseconds between two words to groups-admin that an upload runs: a third of the time for which one is believed. */
export const renewing = { everyMs: 40_000 } as const;

/** Milliseconds that an upload may take: packages come for six hours at the most, and an answer for ten minutes. */
const longestMs = 6 * 3_600_000 + 600_000;

/** What an answer that is kept begins with: SHA-256 of what was sent, and its size. */
const [digestBytes, stampBytes] = [32, 40] as const;

/** Follows an upload from the taking of its key. A client that leaves early has it end. */
export function keyedUpload(attempt: Attempt, request: Request, response: Response): KeyedUpload {
  const digest = bodyDigest(request.headers['content-type']);
  const startedAt = performance.now();
  let whole = false;
  let ended: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (performance.now() - startedAt > longestMs) clearInterval(timer);
    else void attempt.renew();
  }, renewing.everyMs);
  timer.unref();
  const update = (chunk: Buffer): void => digest.update(chunk);

  function end(how: () => Promise<void>): Promise<void> {
    if (ended === undefined) {
      clearInterval(timer);
      request.off('data', update);
      ended = how();
    }
    return ended;
  }
  const notBegun = (cause?: unknown): Promise<void> => end(() => attempt.failed(unavailable(cause)));
  const unknown = (cause?: unknown): Promise<void> => end(() => attempt.failed(mayHaveBegun(cause)));

  const left = (): void => {
    if (!whole) void notBegun();
  };
  // The client may have left while the key was taken.
  if (response.closed) left();
  else response.once('close', left);

  return {
    watch() {
      if (request.readableEnded) {
        whole = true;
        return;
      }
      request.once('end', () => {
        // Once the gateway has refused it, what still comes is read and dropped.
        whole = !response.headersSent;
      });
      // It flows once it is piped on.
      request.on('data', update).pause();
    },
    isWhole: () => whole,
    answered({ status, contentType, body }) {
      if (!whole && status >= 300) return notBegun();
      if (!whole || (status >= 500 && status !== 503)) return unknown();
      if ([408, 429, 503].includes(status)) return notBegun();
      return end(() => {
        const stamp = Buffer.alloc(stampBytes);
        digest.digest().copy(stamp);
        stamp.writeBigUInt64BE(BigInt(digest.size), digestBytes);
        return attempt.answered({ status, contentType, body: Buffer.concat([stamp, body]) });
      });
    },
    failed: (error) =>
      whole && !(isAppError(error, 'unavailable') && !error.begun) ? unknown(error) : notBegun(error),
  };
}

/**
 * The answer to an upload, for a client that sends it again: what it sends is read, and compared with what the first one sent.
 * undefined for a client that has gone, or has been answered.
 */
export async function answerToUpload(
  request: Request,
  response: Response,
  { body, ...answer }: KeptAnswer,
): Promise<KeptAnswer | 'other' | undefined> {
  const bytes = Buffer.from(body);
  const size = Number(bytes.readBigUInt64BE(digestBytes));
  const sent = await readAgain(request, response, size);
  if (sent === 'gone' || response.headersSent) return undefined;
  if (sent === 'longer' || !sent.equals(bytes.subarray(0, digestBytes))) return 'other';
  return { ...answer, body: bytes.subarray(stampBytes) };
}

/** Reads a body and keeps nothing but its digest; no more of it than `most` bytes. */
function readAgain(request: Request, response: Response, most: number): Promise<Buffer | 'longer' | 'gone'> {
  const digest = bodyDigest(request.headers['content-type']);
  if (request.readableEnded) return Promise.resolve(digest.digest());
  if (request.destroyed) return Promise.resolve('gone');
  streamBody(request, response);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop();
      reject(new AppError('request_timeout'));
    }, longestMs);
    function stop(): void {
      clearTimeout(timer);
      request.off('data', take).off('end', finish).off('close', leave).pause();
    }
    function settle(outcome: Buffer | 'longer' | 'gone'): void {
      stop();
      resolve(outcome);
    }
    function take(chunk: Buffer): void {
      digest.update(chunk);
      if (digest.size > most) settle('longer');
    }
    const finish = (): void => settle(digest.digest());
    const leave = (): void => settle('gone');
    request.on('data', take).once('end', finish).once('close', leave);
  });
}
