/** Bytes that `imageTypeOf` needs; a shorter content is no image. */
export const headBytes = 16;

const ascii = (head: Uint8Array, from: number, to: number): string => String.fromCharCode(...head.subarray(from, to));

const startsWith = (head: Uint8Array, ...bytes: number[]): boolean => bytes.every((byte, at) => head[at] === byte);

/** Media type of a picture. */
export type ImageType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/gif'
  | 'image/webp'
  | 'image/tiff'
  | 'image/x-icon'
  | 'image/bmp';

interface Format {
  readonly type: ImageType;
  /** Endings of its files, in lower case. */
  readonly extensions: readonly string[];
  readonly fits: (head: Uint8Array) => boolean;
}

/** Formats of pixels only: not SVG, which may contain scripts. */
const formats: readonly Format[] = [
  {
    type: 'image/png',
    extensions: ['png'],
    fits: (head) => startsWith(head, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  },
  { type: 'image/jpeg', extensions: ['jpg', 'jpeg'], fits: (head) => startsWith(head, 0xff, 0xd8, 0xff) },
  { type: 'image/gif', extensions: ['gif'], fits: (head) => /^GIF8[79]a$/.test(ascii(head, 0, 6)) },
  // Many texts begin with these two letters; the four reserved bytes after the size are zero in every bitmap.
  {
    type: 'image/bmp',
    extensions: ['bmp'],
    fits: (head) => startsWith(head, 0x42, 0x4d) && ascii(head, 6, 10) === '\0\0\0\0',
  },
  {
    type: 'image/tiff',
    extensions: ['tif', 'tiff'],
    fits: (head) => startsWith(head, 0x49, 0x49, 0x2a, 0x00) || startsWith(head, 0x4d, 0x4d, 0x00, 0x2a),
  },
  {
    type: 'image/x-icon',
    extensions: ['ico'],
    fits: (head) => startsWith(head, 0x00, 0x00, 0x01, 0x00) && head[4] !== 0,
  },
  {
    type: 'image/webp',
    extensions: ['webp'],
    fits: (head) => ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP',
  },
];

/** Endings of the names of pictures, in lower case. */
export const imageExtensions: readonly string[] = formats.flatMap(({ extensions }) => extensions);

/** Media type of a picture by its first `headBytes` bytes; undefined for everything else. */
export const imageTypeOf = (head: Uint8Array): ImageType | undefined =>
  head.length < headBytes ? undefined : formats.find(({ fits }) => fits(head))?.type;

/** Media type that the ending of a file claims, in any case; undefined for one of no picture. */
export const imageTypeOfExtension = (extension: string): ImageType | undefined =>
  formats.find(({ extensions }) => extensions.includes(extension.toLowerCase()))?.type;
