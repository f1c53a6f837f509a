/** What a publisher says of a file; each is undefined where it is not said. */
export interface PypiForm {
  /** Name of the file. */
  readonly fileName: string | undefined;
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Versions of Python that it needs (PEP 440). */
  readonly requiresPython: string | undefined;
  /** Hexadecimal digits. */
  readonly sha256: string | undefined;
  /** Hexadecimal digits. */
  readonly md5: string | undefined;
}

/** A form in which nothing is wrong. */
export interface CheckedPypiForm extends PypiForm {
  readonly fileName: string;
  readonly name: string;
  readonly version: string;
}

const longest = 255;
const namePattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const fileNamePattern = /^[A-Za-z0-9][A-Za-z0-9._+!-]*$/;
const printable = /^[\x20-\x7e]*$/;

// The parts of a version in their order (PEP 440). None can take what the one before it took, so that matching does not
// try again.
const parts = [
  'v?',
  '(?:\\d+!)?',
  '\\d+(?:\\.\\d+)*',
  '(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)(?:[-_.]?\\d+)?)?',
  '(?:-\\d+|[-_.]?(?:post|rev|r)(?:[-_.]?\\d+)?)?',
  '(?:[-_.]?dev(?:[-_.]?\\d+)?)?',
  '(?:\\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?',
];
const versionPattern = new RegExp(`^${parts.join('')}$`, 'i');

/** The name by which an index knows a project, however it is written (PEP 503). */
export const normalizeName = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase();

/** Whether a text can be the name of a project (PEP 508). */
export const isName = (text: string): boolean => text.length <= longest && namePattern.test(text);

/** Whether a text can be the name of a file: one segment of a path. */
export const isFileName = (text: string): boolean => text.length <= longest && fileNamePattern.test(text);

const isVersion = (text: string): boolean => text.length <= longest && versionPattern.test(text);
const isDigest =
  (digits: number) =>
  (text: string): boolean =>
    text.length === digits && /^[0-9a-f]+$/i.test(text);

/** A digest of a content as it is written in addresses. */
export const isSha256 = isDigest(64);

const needed: readonly [keyof PypiForm, string, (text: string) => boolean][] = [
  ['fileName', 'content', isFileName],
  ['name', 'name', isName],
  ['version', 'version', isVersion],
];
const optional: readonly [keyof PypiForm, string, (text: string) => boolean][] = [
  ['requiresPython', 'requires_python', (text) => text.length <= longest && printable.test(text)],
  ['sha256', 'sha256_digest', isSha256],
  ['md5', 'md5_digest', isDigest(32)],
];

/** What is wrong with a form, as `name text`; nothing when it may be used. */
export function formProblems(form: PypiForm): string[] {
  return [
    ...needed.flatMap(([key, name, isGood]) =>
      !form[key] ? [`${name} is missing`] : isGood(form[key]) ? [] : [`${name} is invalid`],
    ),
    // Publishing tools send the fields that they have nothing to say in as empty.
    ...optional.flatMap(([key, name, isGood]) => (!form[key] || isGood(form[key]) ? [] : [`${name} is invalid`])),
  ];
}

/** The digests that a publisher announced and the content does not have, as `name text`. */
export function digestProblems(
  { sha256, md5 }: Pick<PypiForm, 'sha256' | 'md5'>,
  content: { readonly sha256: string; readonly md5: string },
): string[] {
  return [
    ...(sha256 && sha256.toLowerCase() !== content.sha256 ? ['sha256_digest does not match the content'] : []),
    ...(md5 && md5.toLowerCase() !== content.md5 ? ['md5_digest does not match the content'] : []),
  ];
}
