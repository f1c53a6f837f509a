import type { ParameterSchema } from '../http/params';
import { unshowable } from '../http/params/unshowable';

/**
 * What the services refuse of a text, for the reference (`documented`): the service's domain has the word on each.
 * Lengths count characters.
 */

const notNull = '[^\\u0000]*';

/** At most so many characters. */
export const atMost = (maxLength: number): ParameterSchema => ({ maxLength });

/** A character that leaves a mark: a text without one is blank. */
const visible = '[^\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800]';

/** A text with something to read in it. */
export const notBlank = (maxLength: number): ParameterSchema => ({
  minLength: 1,
  maxLength,
  pattern: `^${notNull}${visible}${notNull}$`,
});

/** A text of one line, without the characters `other`. */
const lineWithout = (other: string): ParameterSchema => ({
  minLength: 1,
  maxLength: 255,
  pattern: `^[^${other}${unshowable}]*(?![${other}${unshowable}])${visible}[^${other}${unshowable}]*$`,
});

/** A title or name: one line with something to read in it. */
export const oneLine = lineWithout('');

/** A text of one line, or empty for none. */
export const oneLineOrNone: ParameterSchema = { ...oneLine, minLength: 0, pattern: `^$|${oneLine.pattern}` };

/** Text of issues, merge requests, milestones and snippets. */
export const longText = atMost(1_048_576);

/** Bytes of a request that carries a `longText`, each character escaped as `\ud83d\ude00` at the worst. */
export const longTextBodyLimit = 16 << 20;

/** The last part of the path of a project or group, and a user name. */
export const pathPart: ParameterSchema = {
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!.*\\.([Gg][Ii][Tt]|[Aa][Tt][Oo][Mm])$)[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_-])?$',
  description: "Letters, digits, `_`, `-` and `.`; names that the installation's own addresses use are taken.",
};

/** Display name of a project or group. */
export const displayName: ParameterSchema = {
  minLength: 1,
  maxLength: 255,
  pattern:
    '^[\\p{L}\\p{N}\\p{Extended_Pictographic}_]([\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}_.()+\\- ]|\\u200d|\\ufe0f)*$',
};

const mailPart = '[^\\s\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}@<>(),;:"\\[\\]\\\\]+';

/** An address of mail. */
export const mailAddress: ParameterSchema = {
  maxLength: 254,
  pattern: `^${mailPart}@${mailPart}$`,
};

/** The same, or empty for none. */
export const mailAddressOrNone: ParameterSchema = { ...mailAddress, pattern: `^$|${String(mailAddress.pattern)}` };

/** Name of the author of a commit, or empty for the caller's: git has no way to write angle brackets in it. */
export const authorName: ParameterSchema = {
  ...lineWithout('<>'),
  minLength: 0,
  pattern: `^$|${lineWithout('<>').pattern}`,
};

/** Dates that records may have. */
export const afterEpoch: ParameterSchema = {
  pattern: '^(19[7-9]\\d|[2-9]\\d{3})-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:[0-5]\\d(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$',
};

/** Most people of one issue or merge request. */
export const atMostPeople: ParameterSchema = { maxItems: 200 };

/** Name of a branch or tag as git takes it; it cannot be read as a SHA. */
export const refName: ParameterSchema = {
  minLength: 1,
  maxLength: 255,
  pattern:
    '^(?![0-9A-Fa-f]{40}$)(?![-/.])(?!.*(\\.\\.|@\\{|//|/\\.|\\.lock(/|$)))(?!@$)[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\]*[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\/.]$',
};

/** Colour of a label; the common names are taken as well. */
export const color: ParameterSchema = {
  pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$',
  description: 'A CSS colour, `#rrggbb` or `#rgb`; common names such as `teal` are taken as well.',
};

/** Title of a label: a comma parts the titles of a list. */
export const labelTitle = lineWithout(',?');

/** Path of a file of a snippet. */
export const snippetPath: ParameterSchema = {
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\.{1,2}(/|$))[^/\\u0000]+(/(?!\\.{1,2}(/|$))[^/\\u0000]+)*$',
};

/** Key of a variable. */
export const variableKey: ParameterSchema = { minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_]+$' };

/** Web address, or empty for none. */
export const webAddress: ParameterSchema = { maxLength: 255, pattern: '^$|^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\u0000]+$' };
