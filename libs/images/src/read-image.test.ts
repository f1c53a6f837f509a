import { imageFilename, imageTypeOfExtension, readImage } from '.';

const bytes = (...parts: (string | number[] | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const u16 = (value: number): number[] => [value & 0xff, value >> 8];
const u32 = (value: number): number[] => [...u16(value & 0xffff), ...u16(value >>> 16)];
const be32 = (value: number): number[] => u32(value).reverse();

const png = (width: number, height: number): Buffer =>
  bytes(
    [0x89],
    'PNG\r\n\x1a\n',
    be32(13),
    'IHDR',
    be32(width),
    be32(height),
    [8, 6, 0, 0, 0],
    be32(0),
    be32(0),
    'IEND',
    be32(0),
  );
const gif = (width: number, height: number): Buffer =>
  bytes('GIF89a', u16(width), u16(height), [0, 0, 0, 0x2c], u16(0), u16(0), u16(1), u16(1), [0, 2, 1, 0, 0, 0x3b]);
const jpeg = (width: number, height: number): Buffer =>
  bytes(
    [0xff, 0xd8, 0xff, 0xe0, 0, 16],
    'JFIF\0',
    [1, 1, 0, 0, 1, 0, 1, 0, 0],
    [0xff, 0xc0, 0, 11, 8],
    u16(height).reverse(),
    u16(width).reverse(),
    [1, 1, 0x11, 0],
    [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9],
  );
const bmp = (width: number, height: number): Buffer =>
  bytes(
    'BM',
    u32(58),
    [0, 0, 0, 0],
    u32(54),
    u32(40),
    u32(width),
    u32(height),
    u16(1),
    u16(24),
    Array(24).fill(0),
    [1, 2, 3, 0],
  );
const tiff = (width: number, height: number): Buffer => {
  const entry = (tag: number, value: number) => bytes(u16(tag), u16(4), u32(1), u32(value));
  return bytes(
    'II*\0',
    u32(8),
    u16(4),
    entry(256, width),
    entry(257, height),
    entry(273, 62),
    entry(279, 4),
    u32(0),
    [1, 2, 3, 4],
  );
};
const ico = (inner: Buffer): Buffer =>
  bytes([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0], u32(inner.length), u32(22), inner);
const webp = (width: number, height: number): Buffer => {
  const chunk = bytes('VP8X', u32(10), [0, 0, 0, 0], u32(width - 1).slice(0, 3), u32(height - 1).slice(0, 3));
  return bytes('RIFF', u32(4 + chunk.length), 'WEBP', chunk);
};

const samples: [string, Buffer][] = [
  ['image/png', png(12, 34)],
  ['image/gif', gif(12, 34)],
  ['image/jpeg', jpeg(12, 34)],
  ['image/bmp', bmp(12, 34)],
  ['image/tiff', tiff(12, 34)],
  ['image/webp', webp(12, 34)],
];

test.each(samples)('%s is measured by its header', (type, content) => {
  expect(readImage(content)).toEqual({ type, width: 12, height: 34 });
});

test('an icon is as large as the largest picture in it', () => {
  expect(readImage(ico(bytes(u32(40), Array(40).fill(1))))).toEqual({ type: 'image/x-icon', width: 16, height: 16 });
  expect(readImage(ico(png(10_000, 10_000)))).toEqual({ type: 'image/x-icon', width: 10_000, height: 10_000 });
});

test.each([...samples, ['image/x-icon', ico(png(8, 8))] as [string, Buffer]])(
  '%s that is broken off is no picture',
  (_, whole) => {
    for (let length = 0; length < whole.length - 8; length += 1)
      expect(readImage(whole.subarray(0, length))).toBeUndefined();
  },
);

test.each([
  ['HTML', '<!doctype html><script>alert(1)</script>'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
  ['text that begins like a bitmap', 'BM is an abbreviation of something long'],
])('%s is no picture', (_, content) => {
  expect(readImage(bytes(content))).toBeUndefined();
});

test('sizes of 10,000 pixels are seen without decoding', () => {
  expect(readImage(png(10_000, 10_000))).toMatchObject({ width: 10_000, height: 10_000 });
  expect(readImage(png(0, 10))).toBeUndefined();
});

test('offsets that point anywhere end in a refusal', () => {
  const wild = tiff(1, 1);
  for (let at = 4; at < wild.length - 4; at += 1) {
    const changed = Buffer.from(wild);
    changed.writeUInt32LE(0xfffffff0, at);
    expect(() => readImage(changed)).not.toThrow();
  }
});

test('names are kept as far as they are safe, with the ending of a picture', () => {
  expect(imageFilename('../../etc/Logo <1>.PNG')).toBe('Logo _1_.PNG');
  expect(imageFilename('logo.svg')).toBeUndefined();
  expect(imageFilename('.png')).toBeUndefined();
  expect(imageTypeOfExtension('JPEG')).toBe('image/jpeg');
});
