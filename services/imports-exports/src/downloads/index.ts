import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '@switchyard/blobs';
import type { ForwardedCall } from '@switchyard/rpc';

/** A file that is sent. */
export interface Download {
  readonly blob: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal digits. */
  readonly sha256: string;
  /** What the client stores it as. */
  readonly name: string;
  readonly contentType: string;
}

/**
 * Sends a file of an export as it comes from the blob store, or 304 to a client that has it.
 * @throws AppError what `gone` makes, when the blob is not there any more
 */
export async function sendDownload(
  { request, response }: Pick<ForwardedCall, 'request' | 'response'>,
  blobs: Pick<BlobStore, 'open'>,
  { blob, size, sha256, name, contentType }: Download,
  gone: () => Error,
): Promise<void> {
  const tag = `"${sha256}"`;
  const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  const head = {
    ETag: `W/${tag}`,
    'Cache-Control': 'max-age=0, private, must-revalidate',
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}"`,
    'X-Checksum-SHA256': sha256,
  };
  if (known.includes('*') || known.includes(tag)) {
    response.writeHead(304, head).end();
    return;
  }
  const whole = { ...head, 'Content-Length': String(size) };
  if (request.method === 'HEAD') {
    response.writeHead(200, whole).end();
    return;
  }
  const found = await blobs.open(blob);
  if (found === undefined) throw gone();
  response.writeHead(200, whole);
  await pipeline(found.content, response);
}
