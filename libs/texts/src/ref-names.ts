// A loose ref is locked through the file `<component>.lock`; file systems stop at 255 bytes a component.
const componentBytes = 250;
const refBytes = 2_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses exactly these.
const forbiddenInRefs = /[\x00-\x20\x7f~^:?*[\\]/;

/** True when `name` passes `git check-ref-format` (with at least one slash). */
export function isWellFormedRef(name: string): boolean {
  if (!name.includes('/') || name === '@' || name.endsWith('.')) return false;
  if (forbiddenInRefs.test(name) || name.includes('..') || name.includes('@{') || !name.isWellFormed()) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

const fits = (name: string): boolean =>
  Buffer.byteLength(name) <= refBytes && name.split('/').every((part) => Buffer.byteLength(part) <= componentBytes);

/** Whether git takes this for the full name of a reference below `refs/`, and every file system holds it. */
export const isRefName = (name: string): boolean => name.startsWith('refs/') && isWellFormedRef(name) && fits(name);

/**
 * A short name is narrower than git's: one that starts with `refs/` would be found by git's abbreviation rules when the
 * full ref is asked for, and one of 40 hexadecimal digits could not be distinguished from a commit.
 */
const isShortName = (name: string): boolean =>
  !/^(?:-|refs\/)/.test(name) && name !== 'HEAD' && name !== '@' && !/^[0-9a-f]{40}$/i.test(name);

/** Whether this can name a branch or a tag; not so `HEAD`, `@`, `refs/…`, a leading `-` and 40 hexadecimal digits. */
export const isShortRefName = (name: string): boolean => isShortName(name) && isRefName(`refs/heads/${name}`);
