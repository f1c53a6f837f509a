import { pythonName } from '@switchyard/texts';

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
  '(?:(?<epoch>\\d+)!)?',
  '(?<release>\\d+(?:\\.\\d+)*)',
  '(?:[-_.]?(?<phase>alpha|a|beta|b|preview|pre|c|rc)(?:[-_.]?(?<phaseNumber>\\d+))?)?',
  '(?:-(?<implicitPost>\\d+)|[-_.]?(?<post>post|rev|r)(?:[-_.]?(?<postNumber>\\d+))?)?',
  '(?:[-_.]?(?<dev>dev)(?:[-_.]?(?<devNumber>\\d+))?)?',
  '(?:\\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?',
];
const versionPattern = new RegExp(`^${parts.join('')}$`, 'i');

/** Whether a text can be the name of a project (PEP 508). */
export const isName = (text: string): boolean => text.length <= longest && namePattern.test(text);

/** Whether a text can be the name of a file: one segment of a path. */
export const isFileName = (text: string): boolean => text.length <= longest && fileNamePattern.test(text);

const isVersion = (text: string): boolean => text.length <= longest && versionPattern.test(text);

/** Phases before a release that have several names, and the one that counts. */
const phases: Readonly<Record<string, string>> = { alpha: 'a', beta: 'b', c: 'rc', pre: 'rc', preview: 'rc' };

const numberOf = (digits = ''): string => digits.replace(/^0+(?=.)/, '') || '0';

/**
 * The one spelling of a version that installers take for the same (PEP 440): `v1.0`, `1.0.0` and `1` are one. Undefined
 * for what is no version.
 */
export function canonicalVersion(version: string): string | undefined {
  const found = isVersion(version) ? versionPattern.exec(version.toLowerCase())?.groups : undefined;
  if (found === undefined) return undefined;
  const { epoch, release = '', phase, phaseNumber, implicitPost, post, postNumber, dev, devNumber, local } = found;
  const numbers = release.split('.').map(numberOf);
  while (numbers.length > 1 && numbers.at(-1) === '0') numbers.pop();
  const localParts = local?.split(/[-_.]/).map((part) => (/^\d+$/.test(part) ? numberOf(part) : part));
  return [
    `${numberOf(epoch)}!${numbers.join('.')}`,
    phase && `${phases[phase] ?? phase}${numberOf(phaseNumber)}`,
    (implicitPost ?? post) && `.post${numberOf(implicitPost ?? postNumber)}`,
    dev && `.dev${numberOf(devNumber)}`,
    localParts && `+${localParts.join('.')}`,
  ].join('');
}

/** A version in the name of a wheel or egg, in which `_` stands for `-`. */
const escapedVersion = (text: string): string | undefined => canonicalVersion(text.replaceAll('_', '-'));

/**
 * Whether the name of a file is that of a version of a project, in any spelling of both: of a wheel
 * `<name>-<version>[-<build>]-<python>-<abi>-<platform>.whl` (PEP 427), of an egg `<name>-<version>[-py…].egg`, of a source
 * distribution `<name>-<version>.tar.gz` or the like. It is that of no other version.
 */
export function isNamedAfter(fileName: string, name: string, version: string): boolean {
  const isFor = (written: string, found: string | undefined): boolean =>
    pythonName(written) === pythonName(name) && found === canonicalVersion(version);
  const [, stem = '', kind = ''] = /^(.*?)\.(whl|egg|zip|tar|tgz|tar\.(?:gz|bz2|xz|Z))$/i.exec(fileName) ?? [];
  const parts = stem.split('-');
  const [first = '', second = ''] = parts;
  if (/^whl$/i.test(kind)) return (parts.length === 5 || parts.length === 6) && isFor(first, escapedVersion(second));
  if (/^egg$/i.test(kind)) return parts.length >= 2 && isFor(first, escapedVersion(second));
  return parts.some(
    (_, at) => at > 0 && isFor(parts.slice(0, at).join('-'), canonicalVersion(parts.slice(at).join('-'))),
  );
}
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
  const problems = [
    ...needed.flatMap(([key, name, isGood]) =>
      !form[key] ? [`${name} is missing`] : isGood(form[key]) ? [] : [`${name} is invalid`],
    ),
    // Publishing tools send the fields that they have nothing to say in as empty.
    ...optional.flatMap(([key, name, isGood]) => (!form[key] || isGood(form[key]) ? [] : [`${name} is invalid`])),
  ];
  if (problems.length > 0) return problems;
  const { fileName, name, version } = form as CheckedPypiForm;
  return isNamedAfter(fileName, name, version) ? [] : ['content is not named after the name and the version'];
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
