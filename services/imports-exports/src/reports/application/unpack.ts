import { PassThrough, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError, invalidParams, isAppError } from '@switchyard/errors';
import { isGzip, maxReportBytes } from '../domain/report';

/** Bytes that unpacking may give. */
async function* limited(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxReportBytes) throw new AppError('too_large');
    yield chunk;
  }
}

/** Bytes with their first ones looked at: at least two of them, where there are as many. */
async function firstOf(content: AsyncIterator<Uint8Array>): Promise<{ first: Buffer; isDone: boolean }> {
  let first: Buffer = Buffer.alloc(0);
  while (first.length < 2) {
    const { value, done } = await content.next();
    if (done) return { first, isDone: true };
    first = Buffer.concat([first, value]);
  }
  return { first, isDone: false };
}

/**
 * The text of a report that is JSON, or gzip of it, as it comes. Fails with `too_large` above 100 MB of text, however
 * little was sent, and with `invalid_params` for a broken archive.
 * @param format what the sender says that it is; undefined where it is not said
 */
export async function* unpacked(
  content: AsyncIterable<Uint8Array>,
  format?: 'raw' | 'gzip',
): AsyncGenerator<Uint8Array> {
  const bytes = content[Symbol.asyncIterator]();
  const { first, isDone } = await firstOf(bytes);
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (first.length > 0) yield first;
    if (isDone) return;
    for (let next = await bytes.next(); !next.done; next = await bytes.next()) yield next.value;
  }
  if (format !== undefined && isGzip(first) !== (format === 'gzip')) throw invalidParams(`file is not ${format}`);
  if (!isGzip(first)) {
    yield* limited(whole());
    return;
  }
  const text = new PassThrough();
  // Its error reaches the reader of `text`.
  pipeline(Readable.from(whole(), { objectMode: false }), createGunzip(), text, () => undefined);
  try {
    yield* limited(text);
  } catch (error) {
    throw isAppError(error) ? error : invalidParams('file is not valid gzip');
  } finally {
    text.destroy();
  }
}
