import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError, badRequest, unavailable } from '@switchyard/errors';
import { gitLimits } from './git-limits';

/**
 * Bytes of a fetch's request, unpacked: what is wanted and what is there already, 50 bytes each. Enough for 300,000
 * refs.
 */
export const maxFetchRequest = 16 << 20;
/** Bytes of one request that are held without asking; ordinary fetches have less. */
const freeBytes = 64 << 10;
/** Bytes of all requests together beyond what is free. */
const heldAtOnce = 128 << 20;

// One per process: it counts against the memory that all requests share.
let held = 0;

/** The request body, unpacked when its `Content-Encoding` is gzip. */
export function decodedBody(request: Readable, contentEncoding: string | undefined): Readable {
  if (contentEncoding !== 'gzip' && contentEncoding !== 'x-gzip') return request;
  const gunzip = createGunzip();
  // The reader gets the error; between two reads it must not end the process.
  gunzip.on('error', () => undefined);
  request.once('error', (cause) => gunzip.destroy(cause));
  request.once('close', () => {
    if (!request.readableEnded) gunzip.destroy(new Error('the request was broken off'));
  });
  return request.pipe(gunzip);
}

/** What reading a {@link decodedBody} failed with; `bad_request` for what is no gzip, or only its beginning. */
export const readingFailed = (cause: unknown): unknown =>
  /^Z_/.test(String((cause as NodeJS.ErrnoException).code)) ? badRequest('the body is no gzip') : cause;

/**
 * The whole request of a fetch, before anything is started for it: a client that sends it slowly, or not to its end,
 * holds no git process.
 * @throws AppError request_timeout after {@link GitLimits.requestMs}; too_large over {@link maxFetchRequest}; bad_request for what is no gzip;
 *   unavailable while other requests hold the memory
 */
export async function readFetchRequest(body: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  let counted = 0;
  const late = new AppError('request_timeout');
  const timer = setTimeout(() => body.destroy(late), gitLimits().requestMs);
  try {
    for await (const part of body) {
      size += (part as Buffer).length;
      if (size > maxFetchRequest) throw new AppError('too_large');
      const more = Math.max(0, size - freeBytes) - counted;
      if (held + more > heldAtOnce) throw unavailable(new Error('requests of fetches fill the memory they may have'));
      held += more;
      counted += more;
      parts.push(part as Buffer);
    }
    return Buffer.concat(parts);
  } catch (cause) {
    throw readingFailed(cause);
  } finally {
    clearTimeout(timer);
    held -= counted;
  }
}
