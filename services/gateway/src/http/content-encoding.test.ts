import { deflateSync, gzipSync } from 'node:zlib';
import { decoderOf } from './content-encoding';

const plain = Buffer.alloc(4 << 20, 'a');

/** Room for so many bytes, and how many have been asked for. */
const roomFor = (most: number) => {
  const room = {
    asked: 0,
    take(bytes: number): boolean {
      room.asked += bytes;
      return room.asked <= most;
    },
  };
  return room;
};

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync(plain)],
    ['X-Gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
  ])('in %s takes room for every byte that is made of it', async (name, body) => {
    const room = roomFor(plain.length);
    const made = await decoderOf(name, plain.length)?.(body, room);
    expect([Buffer.isBuffer(made) && made.equals(plain), room.asked]).toEqual([true, plain.length]);
  });

  it('grows no further than there is room', async () => {
    const room = roomFor(100_000);
    expect(await decoderOf('gzip', plain.length)?.(gzipSync(plain), room)).toBe('no room');
    expect(room.asked).toBeLessThan(300_000);
  });

  it('waits for room before it grows', async () => {
    let asked = 0;
    const take = async () => {
      asked += 1;
      await new Promise(setImmediate);
      return asked < 3;
    };
    expect(await decoderOf('gzip', plain.length)?.(gzipSync(plain), { take })).toBe('no room');
    expect(asked).toBe(3);
  });

  it('grows no further than the limit', async () => {
    const room = roomFor(plain.length);
    expect(await decoderOf('gzip', 100_000)?.(gzipSync(plain), room)).toBe('too long');
    expect(room.asked).toBeLessThanOrEqual(100_000);
  });

  it.each([
    ['is none', Buffer.from('plain')],
    ['breaks off', gzipSync(plain).subarray(0, 200)],
  ])('that %s is malformed', async (_name, body) => {
    expect(await decoderOf('gzip', plain.length)?.(body, roomFor(plain.length))).toBe('malformed');
  });
});
