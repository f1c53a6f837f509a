import { unprocessable } from '@switchyard/errors';

/** The link of an image. */
export interface ImageLink {
  readonly url: string | undefined;
  readonly urlText: string | undefined;
}

/** An image of a metric, attached to an alert (G-4.12-16). */
export interface MetricImage extends ImageLink {
  readonly id: number;
  readonly filename: string;
  readonly createdAt: Date;
}

/** An image as it is stored. */
export interface StoredImage {
  /** Key of its content in the blob store. */
  readonly blob: string;
  readonly filename: string;
  /** Media type by the first bytes, whatever name and sender claim. */
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
}

/** Bytes that `imageTypeOf` needs; a shorter content is no image. */
export const headBytes = 16;

const ascii = (head: Uint8Array, from: number, to: number): string => String.fromCharCode(...head.subarray(from, to));

const startsWith = (head: Uint8Array, ...bytes: number[]): boolean => bytes.every((byte, at) => head[at] === byte);

/** Formats of pixels only: not SVG, which may contain scripts. */
const signatures: readonly { readonly type: string; readonly fits: (head: Uint8Array) => boolean }[] = [
  { type: 'image/png', fits: (head) => startsWith(head, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
  { type: 'image/jpeg', fits: (head) => startsWith(head, 0xff, 0xd8, 0xff) },
  { type: 'image/gif', fits: (head) => /^GIF8[79]a$/.test(ascii(head, 0, 6)) },
  { type: 'image/webp', fits: (head) => ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP' },
  {
    type: 'image/tiff',
    fits: (head) => startsWith(head, 0x49, 0x49, 0x2a, 0x00) || startsWith(head, 0x4d, 0x4d, 0x00, 0x2a),
  },
  { type: 'image/x-icon', fits: (head) => startsWith(head, 0x00, 0x00, 0x01, 0x00) && head[4] !== 0 },
  // Many texts begin with these two letters; the four reserved bytes after the size are zero in every bitmap.
  { type: 'image/bmp', fits: (head) => startsWith(head, 0x42, 0x4d) && ascii(head, 6, 10) === '\0\0\0\0' },
];

/** Media type of a picture by its first `headBytes` bytes; undefined for everything else. */
export const imageTypeOf = (head: Uint8Array): string | undefined =>
  head.length < headBytes ? undefined : signatures.find(({ fits }) => fits(head))?.type;

const extensions = ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tif', 'tiff', 'ico', 'webp'];

/** 422 of a file that is no picture. */
export const notAnImage = () => unprocessable(`The file must be an image (${extensions.join(', ')})`);

const maxFilenameLength = 255;

/**
 * The stored name of a file: its last segment, with `_` for all but letters, digits, `. - + _` and spaces.
 * Fails with `unprocessable` for names without the extension of an image.
 */
export function imageFilename(written: string): string {
  const segment = written.slice(Math.max(written.lastIndexOf('/'), written.lastIndexOf('\\')) + 1);
  const name = segment
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}.+_ -]/gu, '_');
  const at = name.lastIndexOf('.');
  const ending = name.slice(at + 1).toLowerCase();
  if (at <= 0 || !extensions.includes(ending)) throw notAnImage();
  const stem = [...name.slice(0, at)].slice(0, maxFilenameLength - ending.length - 1).join('');
  return `${stem}.${name.slice(at + 1)}`;
}

const maxUrlLength = 255;
const maxTextLength = 128;

/**
 * An address that begins with its host and has no character that `URL` drops or changes (blanks at the ends, control
 * characters, backslashes before the query, missing or extra slashes): the checked text is the one that a browser
 * follows.
 */
const webAddress = /^https?:\/\/[^\s/\\?#][^\\?#\p{Cc}]*(?:[?#]\P{Cc}*)?$/iu;

const isWebAddress = (url: string): boolean => webAddress.test(url) && url === url.trim() && URL.canParse(url);

const length = (text: string): number => [...text].length;

/** Refuses links that are not http(s), too long, or contain invalid characters. Fails with `unprocessable`. */
export function checkLink({ url = '', urlText = '' }: Partial<ImageLink>): void {
  const problems = [
    ...(length(url) > maxUrlLength ? [`Url is too long (maximum is ${maxUrlLength} characters)`] : []),
    ...(url !== '' && !isWebAddress(url) ? ['Url is blocked: Only allowed schemes are http, https'] : []),
    ...(length(urlText) > maxTextLength ? [`Url text is too long (maximum is ${maxTextLength} characters)`] : []),
    ...(/\0/.test(url + urlText) || !(url + urlText).isWellFormed() ? ['Url and its text must not hold NUL'] : []),
  ];
  if (problems.length > 0) throw unprocessable(problems.join(', '));
}
