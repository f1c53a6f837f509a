import { imageExtensions } from './image-type';

const maxFilenameLength = 255;

/**
 * The stored name of a file: its last segment, with `_` for all but letters, digits, `. - + _` and spaces, at most 255
 * characters; undefined for names without the extension of a picture.
 */
export function imageFilename(written: string): string | undefined {
  const segment = written.slice(Math.max(written.lastIndexOf('/'), written.lastIndexOf('\\')) + 1);
  const name = segment
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}.+_ -]/gu, '_');
  const at = name.lastIndexOf('.');
  const ending = name.slice(at + 1).toLowerCase();
  if (at <= 0 || !imageExtensions.includes(ending)) return undefined;
  const stem = [...name.slice(0, at)].slice(0, maxFilenameLength - ending.length - 1).join('');
  return `${stem}.${name.slice(at + 1)}`;
}
