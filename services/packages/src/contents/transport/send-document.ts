import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { ForwardedCall } from '@switchyard/rpc';

const compress = promisify(gzip);

/** Bytes from which a reply is worth compressing. */
const compressedFrom = 1_024;

const accepts = (header: string | undefined, coding: string): boolean =>
  (header ?? '').split(',').some((one) => {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

/** Whether the client has what a tag names already, so that 304 does. */
export const isKnown = ({ request }: ForwardedCall, tag: string): boolean =>
  (request.headers['if-none-match'] ?? '').split(',').some((known) => known.trim() === tag);

/**
 * Sends a text that was made for the request, such as an index, with an `ETag`, compressed where the client takes that; 304 where it
 * has it already.
 */
export async function sendDocument(call: ForwardedCall, text: string, contentType: string): Promise<void> {
  const { request, response } = call;
  const tag = `W/"${createHash('sha1').update(text).digest('base64url')}"`;
  const head = {
    ETag: tag,
    'Cache-Control': 'max-age=0, private, must-revalidate',
    Vary: 'Origin, Accept, Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
  };
  if (isKnown(call, tag)) {
    response.writeHead(304, head).end();
    return;
  }
  const isCompressed = text.length >= compressedFrom && accepts(request.headers['accept-encoding'], 'gzip');
  // The metadata of thousands of versions is megabytes, and repeats itself: the fastest level makes it a tenth.
  const body = isCompressed ? await compress(text, { level: constants.Z_BEST_SPEED }) : Buffer.from(text);
  response.writeHead(200, {
    ...head,
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
    'Content-Type': contentType,
    'Content-Length': String(body.length),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
