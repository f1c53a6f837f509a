import { BMP } from 'image-size/types/bmp';
import { GIF } from 'image-size/types/gif';
import { ICO } from 'image-size/types/ico';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { TIFF } from 'image-size/types/tiff';
import { WEBP } from 'image-size/types/webp';
import { type ImageType, imageTypeOf } from './image-type';

/** What the headers of a picture say. */
export interface ImageFacts {
  readonly type: ImageType;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

type Measure = (bytes: Uint8Array) => { readonly width: number; readonly height: number };

/** Only the formats that are taken: the package reads SVG and others too. */
const measures: Readonly<Record<ImageType, Measure>> = {
  'image/png': PNG.calculate,
  'image/jpeg': JPG.calculate,
  'image/gif': GIF.calculate,
  'image/bmp': BMP.calculate,
  'image/tiff': TIFF.calculate,
  'image/x-icon': measureIcon,
  'image/webp': WEBP.calculate,
};

/** The pictures of an icon, as its table of 16-byte entries places them. */
const iconEntries = (bytes: Buffer): { offset: number; size: number }[] =>
  Array.from({ length: bytes.readUInt16LE(4) }, (_, at) => ({
    offset: bytes.readUInt32LE(6 + 16 * at + 12),
    size: bytes.readUInt32LE(6 + 16 * at + 8),
  }));

/** An entry of an icon may be a PNG, of any size whatever the table says. */
function measureIcon(icon: Uint8Array): { width: number; height: number } {
  const bytes = Buffer.from(icon.buffer, icon.byteOffset, icon.byteLength);
  const largest = { ...ICO.calculate(bytes) };
  for (const { offset, size } of iconEntries(bytes)) {
    const entry = bytes.subarray(offset, offset + size);
    const { width, height } = imageTypeOf(entry) === 'image/png' ? PNG.calculate(entry) : largest;
    largest.width = Math.max(largest.width, width);
    largest.height = Math.max(largest.height, height);
  }
  return largest;
}

const endOfImage = Buffer.from([0xff, 0xd9]);
const startOfScan = Buffer.from([0xff, 0xda]);
const gifTrailer = 0x3b;

/** Offsets and lengths of the strips or tiles of a TIFF: tags 273 and 279, or 324 and 325. */
function tiffParts(bytes: Buffer): { offset: number; size: number }[] {
  const isLittle = bytes[0] === 0x49;
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const directory = long(4);
  const values = new Map<number, number[]>();
  for (let at = directory + 2; at < directory + 2 + 12 * short(directory); at += 12) {
    const [tag, kind, count] = [short(at), short(at + 2), long(at + 4)];
    // The first of a tag counts: thousands of entries may point at the same values.
    if (![273, 279, 324, 325].includes(tag) || values.has(tag)) continue;
    const width = kind === 3 ? 2 : 4;
    const from = count * width <= 4 ? at + 8 : long(at + 8);
    if (from + count * width > bytes.length) throw new RangeError('values lie outside');
    values.set(
      tag,
      Array.from({ length: count }, (_, n) => (width === 2 ? short(from + 2 * n) : long(from + 4 * n))),
    );
  }
  const offsets = values.get(273) ?? values.get(324) ?? [];
  const sizes = values.get(279) ?? values.get(325) ?? [];
  return offsets.map((offset, n) => ({ offset, size: sizes[n] ?? Number.POSITIVE_INFINITY }));
}

const holds = (bytes: Buffer, parts: readonly { offset: number; size: number }[]): boolean =>
  parts.length > 0 && parts.every(({ offset, size }) => offset + size <= bytes.length);

/** Whether a picture has its end: where the format says how long it is, or what comes last. */
const isWhole: Readonly<Record<ImageType, (bytes: Buffer) => boolean>> = {
  'image/png': (bytes) => bytes.includes('IEND'),
  // A picture inside of the metadata has an end of its own, before the first scan.
  'image/jpeg': (bytes) => bytes.lastIndexOf(endOfImage) > bytes.lastIndexOf(startOfScan),
  'image/gif': (bytes) => bytes.findLast((byte) => byte !== 0) === gifTrailer,
  'image/bmp': (bytes) => bytes.readUInt32LE(2) <= bytes.length && bytes.readUInt32LE(10) < bytes.length,
  'image/tiff': (bytes) => holds(bytes, tiffParts(bytes)),
  'image/x-icon': (bytes) => holds(bytes, iconEntries(bytes)),
  'image/webp': (bytes) => bytes.readUInt32LE(4) + 8 <= bytes.length,
};

/**
 * Type and size of a picture by its content, without decoding a pixel; undefined for what is no picture, is broken off,
 * or has no size. Time is linear in the bytes.
 */
export function readImage(bytes: Buffer): ImageFacts | undefined {
  const type = imageTypeOf(bytes);
  if (type === undefined) return undefined;
  try {
    const { width, height } = measures[type](bytes);
    return width > 0 && height > 0 && isWhole[type](bytes) ? { type, width, height } : undefined;
  } catch {
    // Offsets that point outside: it is broken off, or crafted.
    return undefined;
  }
}
