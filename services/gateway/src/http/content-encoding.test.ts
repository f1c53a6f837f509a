import { deflateSync, gzipSync } from 'node:zlib';
import { decoderOf } from './content-encoding';

const plain = Buffer.alloc(4 << 20, 'a');

/** Free memory of so many bytes, and how many have been requested. */
const memoryFor = (most: number) => {
  const memory = {
    requested: 0,
    take(bytes: number): boolean {
      memory.requested += bytes;
      return memory.requested <= most;
    },
  };
  return memory;
};

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync(plain)],
    ['X-Gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
  ])('in %s takes memory for every byte that is made of it', async (name, body) => {
    const memory = memoryFor(plain.length);
    const made = await decoderOf(name, plain.length)?.(body, memory);
    expect([Buffer.isBuffer(made) && made.equals(plain), memory.requested]).toEqual([true, plain.length]);
  });

  it('grows no further than there is free memory', async () => {
    const memory = memoryFor(100_000);
    expect(await decoderOf('gzip', plain.length)?.(gzipSync(plain), memory)).toBe('no memory');
    expect(memory.requested).toBeLessThan(300_000);
  });

  it('waits for memory before it grows', async () => {
    let requested = 0;
    const take = async () => {
      requested += 1;
      await new Promise(setImmediate);
      return requested < 3;
    };
    expect(await decoderOf('gzip', plain.length)?.(gzipSync(plain), { take })).toBe('no memory');
    expect(requested).toBe(3);
  });

  it('grows no further than the limit', async () => {
    const memory = memoryFor(plain.length);
    expect(await decoderOf('gzip', 100_000)?.(gzipSync(plain), memory)).toBe('too long');
    expect(memory.requested).toBeLessThanOrEqual(100_000);
  });

  it.each([
    ['is none', Buffer.from('plain')],
    ['breaks off', gzipSync(plain).subarray(0, 200)],
  ])('that %s is malformed', async (_name, body) => {
    expect(await decoderOf('gzip', plain.length)?.(body, memoryFor(plain.length))).toBe('malformed');
  });
});
