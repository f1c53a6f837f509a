import { pipeline } from 'node:stream/promises';
import type { BlobStore, ByteRange } from '@switchyard/blobs';
import { notFound, unavailable } from '@switchyard/errors';
import type { ForwardedCall } from '@switchyard/rpc';
import type { ContentDigests } from '../domain/content';

/** A file as it is sent. */
export interface SentFile extends Pick<ContentDigests, 'size' | 'sha256'> {
  readonly blob: string;
  readonly fileName: string;
  readonly contentType?: string;
  /** Whether a browser may show it; by default it is saved. */
  readonly shownInPlace?: boolean;
}

/**
 * The range that a request asks for: one range of bytes. Undefined for the whole file, which is also the answer to what
 * is no range of bytes or more than one (RFC 9110, 14.2); `outside` when none of its bytes is there.
 * @param size bytes of the file
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'outside' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'outside' : { start, end };
}

const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/**
 * The name under which clients save a file: that of its last part. Only a name that needs it is encoded (RFC 6266): pip
 * reads no encoded one, and then does not know how to unpack a source distribution.
 */
export function dispositionOf(fileName: string, type: 'attachment' | 'inline' = 'attachment'): string {
  const name = fileName.slice(fileName.lastIndexOf('/') + 1);
  return /^[\w.+-]+$/.test(name) ? `${type}; filename="${name}"` : `${type}; filename*=UTF-8''${encoded(name)}`;
}

/** Seconds in which a client that is redirected begins to read. */
const redirectSeconds = 300;

/**
 * Sends a file, or the part that was asked for, to a GET or HEAD request. It streams, or redirects to the blob store where
 * that gives addresses.
 */
export async function sendContent(
  { request, response }: ForwardedCall,
  blobs: BlobStore,
  file: SentFile,
): Promise<void> {
  const { size, sha256, blob, fileName, contentType = 'application/octet-stream' } = file;
  const tag = `"${sha256}"`;
  const head = {
    ETag: tag,
    'Cache-Control': 'max-age=0, private, must-revalidate',
    'Accept-Ranges': 'bytes',
    'X-Checksum-SHA256': sha256,
    'Content-Type': contentType,
    'Content-Disposition': dispositionOf(fileName, file.shownInPlace ? 'inline' : 'attachment'),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
  };
  const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known.includes('*') || known.includes(tag)) {
    response.writeHead(304, head).end();
    return;
  }
  const ifRange = request.headers['if-range'];
  const asked = ifRange === undefined || ifRange === tag ? rangeOf(request.headers.range, size) : undefined;
  if (asked === 'outside') {
    response.writeHead(416, { ...head, 'Content-Range': `bytes */${size}`, 'Content-Length': '0' }).end();
    return;
  }
  const length = asked === undefined ? size : asked.end - asked.start + 1;
  const range = asked === undefined ? {} : { 'Content-Range': `bytes ${asked.start}-${asked.end}/${size}` };
  const whole = { ...head, ...range, 'Content-Length': String(length) };
  const status = asked === undefined ? 200 : 206;
  if (request.method === 'HEAD') {
    response.writeHead(status, whole).end();
    return;
  }
  const address = await blobs.addressOf(blob, {
    seconds: redirectSeconds,
    contentType,
    contentDisposition: head['Content-Disposition'],
  });
  if (address !== undefined) {
    // The range is asked for again there.
    response.writeHead(302, { 'Cache-Control': 'no-store', Location: address, 'Content-Length': '0' }).end();
    return;
  }
  const found = await blobs.open(blob, asked).catch((error) => {
    throw unavailable(error);
  });
  if (found === undefined) throw notFound();
  response.writeHead(status, whole);
  await pipeline(found.content, response);
}
