import { clean, parse, validRange } from 'semver';

const scope = '@[a-z0-9~-][a-z0-9._~-]*';
const namePattern = new RegExp(`^(?:${scope}/)?[a-z0-9~][a-z0-9._~-]*$`);

/** What npm itself would take for a folder or a file of a site. */
const reserved: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico']);

/** Whether npm's published rules allow a name of a package: lower case, safe in a URL, at most 214 characters. */
export const isPackageName = (name: string): boolean =>
  name.length <= 214 && namePattern.test(name) && !reserved.has(name);

/**
 * Whether another registry may be asked for a name: one that it has, or had before names were of lower case. Nothing in it
 * would be written otherwise in an address.
 */
export const isForwardable = (name: string): boolean =>
  name.length <= 214 && /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/.test(name);

/** Whether this is a version of semver 2.0, as it is written in a manifest. */
export const isVersion = (version: string): boolean => /^\d\S*$/.test(version) && parse(version) !== null;

/**
 * A version as npm has it, in whatever writing: `v1.0.0`, `1.0.0+a` and `1.0.0+b` are `1.0.0`. Build metadata is no part of
 * it (semver 2.0, 10), and clients ask for a version without it. Undefined for what is none.
 */
export const cleanVersion = (version: string): string | undefined => clean(version, { loose: true }) ?? undefined;

/** Whether this may name a version: what is a range of versions is none, so that `npm install name@this` is clear. */
export const isTag = (tag: string): boolean => /^[\w.~!*'()-]{1,255}$/.test(tag) && validRange(tag) === null;

/** The scope of a name without its `@`; undefined for a name without a scope. */
export const scopeOf = (name: string): string | undefined =>
  name.startsWith('@') ? name.slice(1, name.indexOf('/')) : undefined;

const withoutScope = (name: string): string => name.slice(name.indexOf('/') + 1);

/** The name under which the tarball of a version is kept: the one that npm gives it. */
export const tarballName = (name: string, version: string): string => `${name}-${version}.tgz`;

/** The version whose tarball has a name, which clients write with or without the scope; undefined for another name. */
export function versionOfTarball(name: string, fileName: string): string | undefined {
  for (const prefix of [`${name}-`, `${withoutScope(name)}-`]) {
    if (!fileName.startsWith(prefix) || !fileName.endsWith('.tgz')) continue;
    const version = fileName.slice(prefix.length, -'.tgz'.length);
    if (isVersion(version)) return version;
  }
  return undefined;
}
