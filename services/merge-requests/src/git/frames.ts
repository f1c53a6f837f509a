import type { Readable, Writable } from 'node:stream';

/** A message between two processes: a JSON header and bytes. */
export interface Frame {
  readonly header: unknown;
  readonly body: Buffer;
}

const prefixLength = 8;

/** Writes a frame: the lengths of header and body, four bytes each, then both. */
export function writeFrame(to: Writable, header: unknown, body: Buffer = Buffer.alloc(0)): void {
  const text = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(prefixLength);
  prefix.writeUInt32BE(text.length, 0);
  prefix.writeUInt32BE(body.length, 4);
  to.write(Buffer.concat([prefix, text, body]));
}

/** The frames of a stream, until it ends; a frame cut off by the end is dropped. */
export async function* frameReader(from: Readable): AsyncGenerator<Frame> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of from) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    // Joined only when a whole frame is there: a body of many chunks is not copied once per chunk.
    while (size >= prefixLength) {
      if (chunks.length > 1 && (chunks[0]?.length ?? 0) < prefixLength) chunks = [Buffer.concat(chunks)];
      const head = chunks[0] as Buffer;
      const headerLength = head.readUInt32BE(0);
      const length = prefixLength + headerLength + head.readUInt32BE(4);
      if (size < length) break;
      const whole = chunks.length === 1 ? head : Buffer.concat(chunks);
      const bodyAt = prefixLength + headerLength;
      yield {
        header: JSON.parse(whole.toString('utf8', prefixLength, bodyAt)),
        body: whole.subarray(bodyAt, length),
      };
      const rest = whole.subarray(length);
      chunks = rest.length === 0 ? [] : [rest];
      size = rest.length;
    }
  }
}
