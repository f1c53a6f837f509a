import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError, invalidParams } from '@switchyard/errors';
import busboy from 'busboy';
import type { TakeFile } from '../application/manage-metric-images';

/** What a form may have. */
export interface UploadFormLimits {
  /** Bytes of its file. */
  readonly file: number;
  /** Milliseconds until it has to be there; far less than what an upload is given in the store. */
  readonly within: number;
}

/** Bytes beside the file: heads of parts, fields. */
const overhead = 64 << 10;
const fieldSize = 8 << 10;

const malformed = () => invalidParams('the multipart body is not valid');

/** A file as it is read: one that breaks off makes the form malformed. Whoever stops reading fails the stream as well, and is not told here. */
async function* contentOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch {
    throw malformed();
  }
}

/**
 * Reads a multipart form: the first part `file` that is one goes to `take` as it comes, fields are returned by name, other files are passed over.
 * Settles once `take` has. Fails with `invalid_params` for a body that is no form, `too_large`, and as `take` does; the request is then read no
 * further.
 */
export function readUploadForm(
  request: IncomingMessage,
  limits: UploadFormLimits,
  take: TakeFile,
): Promise<ReadonlyMap<string, string>> {
  const most = limits.file + overhead;
  if (Number(request.headers['content-length'] ?? 0) > most) return Promise.reject(new AppError('too_large'));
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
      // Whoever cleans up after it must not meet it still writing.
      Promise.allSettled([taking]).then(() => reject(error));
    }
    function count(chunk: Buffer): void {
      size += chunk.length;
      if (size > most) stop(new AppError('too_large'));
    }
    const timer = setTimeout(() => stop(new AppError('request_timeout')), limits.within);

    form.on('field', (name, value, { valueTruncated, nameTruncated }) => {
      if (valueTruncated || nameTruncated) stop(new AppError('too_large'));
      else fields.set(name, value);
    });
    form.on('file', (name, stream, { filename }) => {
      // A file that breaks off fails its own stream as well: unheard, that would end the process.
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
