import { unprocessable } from '@switchyard/errors';
import { imageExtensions, imageFilename } from '@switchyard/images';
import { isStorable } from '@switchyard/texts';

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

/** 422 of a file that is no picture. */
export const notAnImage = () => unprocessable(`The file must be an image (${imageExtensions.join(', ')})`);

/**
 * The stored name of a file.
 * Fails with `unprocessable` for names without the extension of an image.
 */
export function storedFilename(written: string): string {
  const name = imageFilename(written);
  if (name === undefined) throw notAnImage();
  return name;
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
    ...(!isStorable(url + urlText) ? ['Url and its text must not hold NUL'] : []),
  ];
  if (problems.length > 0) throw unprocessable(problems.join(', '));
}
