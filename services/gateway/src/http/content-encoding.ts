import { promisify } from 'node:util';
import { gunzip, inflate, type ZlibOptions } from 'node:zlib';

type Inflate = (body: Buffer, options: ZlibOptions) => Promise<Buffer>;

const asItIs: Inflate = async (body) => body;
const gzip: Inflate = promisify<Buffer, ZlibOptions, Buffer>(gunzip);

const decoders = new Map<string, Inflate>([
  ['', asItIs],
  ['identity', asItIs],
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', promisify<Buffer, ZlibOptions, Buffer>(inflate)],
]);

/** Names of the encodings that are understood, for the header Accept-Encoding. */
export const contentEncodings = 'gzip, deflate';

/** A body as it was before it was compressed; what is wrong with it where it would be longer than the limit, or is none. */
export type Decode = (body: Buffer) => Promise<Buffer | 'too long' | 'malformed'>;

/**
 * Undoes a Content-Encoding; undefined for one that is not understood. No more than `limit` bytes are ever made of a body, however small it is.
 * @param header Content-Encoding as it came
 */
export function decoderOf(header: string | undefined, limit: number): Decode | undefined {
  const decode = decoders.get((header ?? '').trim().toLowerCase());
  return (
    decode &&
    ((body) =>
      decode(body, { maxOutputLength: limit }).catch((error: { code?: string }) =>
        error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too long' : 'malformed',
      ))
  );
}
