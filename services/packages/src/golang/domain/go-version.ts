import { compare, parse } from 'semver';

const longest = 256;
const canonical = /^v(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+incompatible)?$/;
const pseudo = /^v\d+\.(?:0\.0-|\d+\.\d+-(?:[^+]*\.)?0\.)(\d{14})-([0-9a-f]{12})(?:\+incompatible)?$/;

/** Ending of versions of a module that has no go.mod and a major version of 2 or more. */
const incompatible = '+incompatible';

/** Whether a text is a version in the one form that Go writes it in; pseudo-versions are as well. */
export const isVersion = (text: string): boolean =>
  text.length <= longest && canonical.test(text) && parse(text) !== null;

/** What a pseudo-version says of its commit. */
export interface PseudoVersion {
  /** `20260102030405`, in UTC. */
  readonly time: string;
  /** The first 12 digits of its id. */
  readonly revision: string;
  /** Version of a tag that it has or its ancestors have; undefined for none. */
  readonly base: string | undefined;
}

/** Reads a pseudo-version; undefined for what is none. */
export function readPseudoVersion(version: string): PseudoVersion | undefined {
  const found = isVersion(version) ? pseudo.exec(version) : null;
  if (found === null) return undefined;
  const [, time = '', revision = ''] = found;
  const before = version.slice(0, version.indexOf(`${time}-${revision}`));
  return { time, revision, base: baseOf(before) };
}

/** The version before `20260102030405-…`: `v1.0.0-` is of none, `v1.2.4-0.` of v1.2.3, `v1.2.3-rc.1.0.` of v1.2.3-rc.1. */
function baseOf(before: string): string | undefined {
  const [, major = '', minor = '', patch = '', rest = ''] = /^v(\d+)\.(\d+)\.(\d+)-(.*)$/.exec(before) ?? [];
  if (rest === '') return undefined;
  if (rest !== '0.') return `v${major}.${minor}.${patch}-${rest.slice(0, -'.0.'.length)}`;
  return Number(patch) > 0 ? `v${major}.${minor}.${Number(patch) - 1}` : undefined;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The time of a commit as pseudo-versions have it. */
export const pseudoTime = (at: Date): string =>
  [
    at.getUTCFullYear(),
    ...[at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes()],
    at.getUTCSeconds(),
  ]
    .map((part, index) => (index === 0 ? String(part).padStart(4, '0') : twoDigits(part)))
    .join('');

/**
 * The pseudo-version of a commit.
 * @param base version of the newest tag before it
 * @param major of the module, where there is no such tag
 */
export function pseudoVersion(
  { sha, committedAt }: { readonly sha: string; readonly committedAt: Date },
  base: string | undefined,
  major: number,
): string {
  const commit = `${pseudoTime(committedAt)}-${sha.slice(0, 12)}`;
  if (base === undefined) return `v${major}.0.0-${commit}`;
  if (base.includes('-')) return `${base}.0.${commit}`;
  const [, kept = '', patch = ''] = /^(v\d+\.\d+\.)(\d+)$/.exec(base) ?? [];
  return `${kept}${Number(patch) + 1}-0.${commit}`;
}

/** Whether a version is one of a module with a major version: 0 and 1 go without one in the path of the module. */
export function fitsMajor(version: string, major: number): boolean {
  const own = Number(/^v(\d+)\./.exec(version)?.[1]);
  if (version.endsWith(incompatible)) return major === 0 && own >= 2;
  return major === 0 ? own < 2 : own === major;
}

/** Whether a version is of a module without a go.mod. */
export const isIncompatible = (version: string): boolean => version.endsWith(incompatible);

/** The name of the tag of a version, without the folder of its module. */
export const tagOf = (version: string): string =>
  isIncompatible(version) ? version.slice(0, -incompatible.length) : version;

/** The version that a tag names in a module without a go.mod. */
export const asIncompatible = (tag: string): string => `${tag}${incompatible}`;

/** Versions from the lowest to the highest. */
export const inOrder = (versions: readonly string[]): string[] =>
  [...versions].sort((one, other) => compare(one, other));

/** The version that `@latest` means: the highest release, else the highest of those before one; undefined without any. */
export function latestOf(versions: readonly string[]): string | undefined {
  const ordered = inOrder(versions);
  return ordered.findLast((one) => !one.includes('-')) ?? ordered.at(-1);
}
