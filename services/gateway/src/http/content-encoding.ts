import { createGunzip, createInflate, type Gunzip, type Inflate } from 'node:zlib';
import type { BodyReservation } from './body-memory';

/** Makes what undoes an encoding; undefined where there is nothing to undo. */
const decoders = new Map<string, (() => Gunzip | Inflate) | undefined>([
  ['', undefined],
  ['identity', undefined],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
]);

/** Names of the encodings that are understood, for the header Accept-Encoding. */
export const contentEncodings = 'gzip, deflate';

/**
 * A body as it was before it was compressed; why there is none where it would be longer than the limit, is malformed,
 * or finds no free memory.
 */
export type Decode = (
  body: Buffer,
  hold: Pick<BodyReservation, 'take'>,
) => Promise<Buffer | 'too long' | 'malformed' | 'no memory'>;

/**
 * Undoes a Content-Encoding; undefined for one that is not understood. No more than `limit` bytes are ever made of a
 * body, however small it is, and none before there is free memory for them.
 * @param header Content-Encoding as it came
 */
export function decoderOf(header: string | undefined, limit: number): Decode | undefined {
  const name = (header ?? '').trim().toLowerCase();
  if (!decoders.has(name)) return undefined;
  const make = decoders.get(name);
  if (make === undefined) return async (body) => body;
  return async (body, hold) => {
    const stream = make();
    stream.end(body);
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > limit) return 'too long';
        if (!(await hold.take(chunk.length))) return 'no memory';
        chunks.push(chunk);
      }
    } catch {
      return 'malformed';
    }
    return Buffer.concat(chunks, size);
  };
}
