import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError, invalidParams } from '@switchyard/errors';
import busboy from 'busboy';
import type { TakeFile } from '../application/manage-metric-images';

/** Limits of a form. */
export interface UploadFormLimits {
  /** Bytes of its file. */
  readonly file: number;
  /** Milliseconds until the whole form has arrived; far below the lifetime of an unused blob. */
  readonly timeoutMs: number;
}

/** Bytes apart from the file: headers of parts, fields. */
const overhead = 64 << 10;
const fieldSize = 8 << 10;

const malformed = () => invalidParams('the multipart body is not valid');

/** A file as it is read: one that breaks off makes the form malformed. */
async function* contentOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch {
    throw malformed();
  }
}

/**
 * Reads a multipart form: the first file called `file` streams into `take`, fields are returned by name, other files
 * are skipped. Settles after `take`. Fails with `invalid_params` for a body that is no form, `too_large`, and as `take`
 * does; then the rest of the request is not read.
 */
export function readUploadForm(
  request: IncomingMessage,
  limits: UploadFormLimits,
  take: TakeFile,
): Promise<ReadonlyMap<string, string>> {
  const maxBytes = limits.file + overhead;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(new AppError('too_large'));
  let form: busboy.Busboy;
  try {
    form = busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: { fields: 20, files: 20, fieldSize, fieldNameSize: 100, headerPairs: 50 },
    });
  } catch {
    const isForm = /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
    return Promise.reject(isForm ? malformed() : invalidParams('file is missing'));
  }

  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    let taking: Promise<void> | undefined;
    let size = 0;
    let failed = false;

    function stop(error: unknown): void {
      if (failed) return;
      failed = true;
      clearTimeout(timer);
      request.off('data', count);
      request.unpipe(form);
      form.destroy();
      // `take` must have ended before the caller cleans up.
      Promise.allSettled([taking]).then(() => reject(error));
    }
    function count(chunk: Buffer): void {
      size += chunk.length;
      if (size > maxBytes) stop(new AppError('too_large'));
    }
    const timer = setTimeout(() => stop(new AppError('request_timeout')), limits.timeoutMs);

    form.on('field', (name, value, { valueTruncated, nameTruncated }) => {
      if (valueTruncated || nameTruncated) stop(new AppError('too_large'));
      else fields.set(name, value);
    });
    form.on('file', (name, stream, { filename }) => {
      // A file that breaks off fails its own stream too: without a listener that would end the process.
      stream.on('error', () => undefined);
      if (name !== 'file' || taking !== undefined) {
        stream.resume();
        return;
      }
      taking = take(filename ?? '', contentOf(stream));
      taking.catch(stop);
    });
    form.on('error', () => stop(malformed()));
    form.on('close', () => {
      if (failed) return;
      Promise.resolve(taking).then(
        () => {
          clearTimeout(timer);
          resolve(fields);
        },
        () => undefined,
      );
    });
    request.once('close', () => {
      if (!request.complete) stop(new AppError('request_timeout'));
    });
    request.on('data', count);
    request.pipe(form);
  });
}
