import type { Readable } from 'node:stream';
import { AppError } from '@switchyard/errors';
import { readingFailed } from './request-body';

/** How slowly a stream may come. */
export interface MinimumRate {
  /** Milliseconds between two chunks. */
  readonly idleMs: number;
  /** When the whole must be there, milliseconds since 1970. */
  readonly until: number;
}

/** One packet of git's wire format; `flush` is the packet `0000`. */
export type Packet = { flush: true } | { flush: false; data: Buffer };

/** Largest payload of one packet: 65,520 bytes less the four of its length. */
export const maxPacketPayload = 65_516;

/** A packet of this payload. */
export function packet(payload: string | Buffer): Buffer {
  const data = typeof payload === 'string' ? Buffer.from(payload) : payload;
  if (data.length > maxPacketPayload) throw new RangeError('packet too long');
  return Buffer.concat([Buffer.from((data.length + 4).toString(16).padStart(4, '0')), data]);
}

/** The packet that ends a section. */
export const flushPacket = Buffer.from('0000');

/** What was sent breaks the wire format or one of its bounds; the request cannot be understood. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtocolError';
  }
}

/** Reads packets from the front of a stream and hands on what follows them untouched. */
export class PacketReader {
  private buffered: Buffer = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Buffer>;
  private taken = 0;

  /**
   * `maxBytes` bounds all packets together; reading throws `request_timeout` for what comes more slowly than
   * `minimumRate`, which may be changed on the way, and `bad_request` for what is no gzip.
   */
  constructor(
    stream: Readable,
    private readonly maxBytes: number,
    public minimumRate: MinimumRate,
  ) {
    this.chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** The next packet; `undefined` when the stream ended before one began. */
  async next(): Promise<Packet | undefined> {
    if (!(await this.fill(4))) {
      if (this.buffered.length === 0) return undefined;
      throw new ProtocolError('the request ended inside a packet');
    }
    const digits = this.buffered.toString('latin1', 0, 4);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
    if (length < 0 || (length > 0 && length < 4) || length > maxPacketPayload + 4)
      throw new ProtocolError('bad packet length');
    this.taken += Math.max(4, length);
    if (this.taken > this.maxBytes) throw new ProtocolError('too many references in one push');
    if (length === 0) {
      this.buffered = this.buffered.subarray(4);
      return { flush: true };
    }
    if (!(await this.fill(length))) throw new ProtocolError('the request ended inside a packet');
    const data = this.buffered.subarray(4, length);
    this.buffered = this.buffered.subarray(length);
    return { flush: false, data };
  }

  /** The first `length` bytes of what follows the packets, left in place; fewer when the stream ends first. */
  async peek(length: number): Promise<Buffer> {
    await this.fill(length);
    return this.buffered.subarray(0, length);
  }

  /** Everything after the packets. */
  async *remainder(): AsyncGenerator<Buffer> {
    if (this.buffered.length > 0) yield this.buffered;
    this.buffered = Buffer.alloc(0);
    for (;;) {
      const { value, done } = await this.chunk();
      if (done) return;
      yield value;
    }
  }

  private async chunk(): Promise<IteratorResult<Buffer>> {
    const next = this.chunks.next();
    const left = Math.min(this.minimumRate.idleMs, this.minimumRate.until - Date.now());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new AppError('request_timeout')), Math.max(0, left));
    });
    try {
      return await Promise.race([next, late]);
    } catch (cause) {
      throw readingFailed(cause);
    } finally {
      clearTimeout(timer);
      // Should it break off after it was given up.
      next.catch(() => undefined);
    }
  }

  private async fill(length: number): Promise<boolean> {
    if (this.buffered.length >= length) return true;
    // Joined once: the chunks may be of a byte each.
    const parts = [this.buffered];
    let size = this.buffered.length;
    while (size < length) {
      const { value, done } = await this.chunk();
      if (done) break;
      parts.push(value);
      size += value.length;
    }
    this.buffered = Buffer.concat(parts);
    return size >= length;
  }
}
