import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError, invalidParams } from '@switchyard/errors';
import busboy from 'busboy';

/** What a form may be. */
export interface UploadFormRules {
  /** Name of its file. */
  readonly fileField: string;
  /** Bytes of the file. */
  readonly file: number;
  /** Milliseconds until the whole form has arrived; within which the unused blob stays. */
  readonly timeoutMs: number;
  /** Fields that are returned; all of them where it is not said. */
  readonly wanted?: ReadonlySet<string>;
  /** Whether a path that is sent as the name of the file is passed on whole; by default its last part is. */
  readonly keepsPath?: true;
  /** Number of fields, by default 20. */
  readonly fields?: number;
  /** Bytes of a field, by default 8 KiB. */
  readonly fieldSize?: number;
  /** Bytes apart from the file: headers of parts, fields. By default 64 KiB. */
  readonly overhead?: number;
}

/**
 * Takes the file of a form as it comes. `fields` are those of the whole form, some of which may come after the file; it
 * rejects where the form fails.
 */
export type TakeFormFile = (
  filename: string,
  content: AsyncIterable<Uint8Array>,
  fields: Promise<ReadonlyMap<string, string>>,
) => Promise<void>;

/** A file that ends when its form has: where the form fails behind it, so does the file, and nothing is kept of it. */
export async function* untilWhole(
  content: AsyncIterable<Uint8Array>,
  fields: Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  yield* content;
  await fields;
}

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
 * Reads a multipart form: the file with the name streams into `take`, a second one with it is refused, fields are returned by
 * name, other files are skipped. A list that is sent as `name[]` several times is one text with commas; of other fields the last one counts. Settles after `take`. Fails with `invalid_params` for a body that is no form, `too_large`, and as `take`
 * does; then the rest of the request is not read.
 */
export function readUploadForm(
  request: IncomingMessage,
  rules: UploadFormRules,
  take: TakeFormFile,
): Promise<ReadonlyMap<string, string>> {
  const { fileField, wanted, fields: mostFields = 20, fieldSize = 8 << 10, overhead = 64 << 10 } = rules;
  const maxBytes = rules.file + overhead;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(new AppError('too_large'));
  let form: busboy.Busboy;
  try {
    form = busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      preservePath: rules.keepsPath === true,
      limits: { fields: mostFields, files: 20, fieldSize, fieldNameSize: 100, headerPairs: 50 },
    });
  } catch {
    const isForm = /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
    return Promise.reject(isForm ? malformed() : invalidParams(`${fileField} is missing`));
  }

  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    let taking: Promise<void> | undefined;
    let size = 0;
    let failed = false;
    let settleFields: { resolve(): void; reject(error: unknown): void } | undefined;
    const whole = new Promise<ReadonlyMap<string, string>>((settle, refuse) => {
      settleFields = { resolve: () => settle(fields), reject: refuse };
    });
    // Nobody waits for them where the file itself fails.
    whole.catch(() => undefined);

    function stop(error: unknown): void {
      if (failed) return;
      failed = true;
      clearTimeout(timer);
      request.off('data', count);
      request.unpipe(form);
      form.destroy();
      settleFields?.reject(error);
      // `take` must have ended before the caller cleans up.
      Promise.allSettled([taking]).then(() => reject(error));
    }
    function count(chunk: Buffer): void {
      size += chunk.length;
      if (size > maxBytes) stop(new AppError('too_large'));
    }
    const timer = setTimeout(() => stop(new AppError('request_timeout')), rules.timeoutMs);

    form.on('field', (name, value, { valueTruncated, nameTruncated }) => {
      if (valueTruncated || nameTruncated) stop(new AppError('too_large'));
      else if (wanted?.has(name) ?? true) {
        const before = name.endsWith('[]') ? fields.get(name) : undefined;
        fields.set(name, before === undefined ? value : `${before},${value}`);
      }
    });
    form.on('file', (name, stream, { filename }) => {
      // A file that breaks off fails its own stream too: without a listener that would end the process.
      stream.on('error', () => undefined);
      if (name !== fileField || taking !== undefined) {
        stream.resume();
        if (name === fileField) stop(invalidParams(`${fileField} is there twice`));
        return;
      }
      taking = take(filename ?? '', contentOf(stream), whole);
      taking.catch(stop);
    });
    form.on('error', () => stop(malformed()));
    form.on('close', () => {
      if (failed) return;
      settleFields?.resolve();
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
