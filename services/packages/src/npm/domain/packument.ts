import { compareBuild, parse, type SemVer } from 'semver';
import { tarballName } from './npm-names';

/** A version as it is served. The texts are JSON objects: a document of thousands is put together without parsing them. */
export interface ServedVersion {
  readonly id: number;
  readonly projectId: number;
  readonly version: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The manifest, whole or what installing needs of it. */
  readonly manifest: string;
  readonly dist: string;
}

/** A name of a version. */
export interface ServedTag {
  readonly name: string;
  readonly version: string;
}

/** A name that a version is to have. */
export interface NewTag {
  readonly name: string;
  readonly packageId: number;
}

/** Names that the versions of one package may have in a project: each document has all of them. */
export const mostTags = 1_000;

/**
 * Bytes of what one reply has of all versions of a name. A project keeps no more; a group, which joins those of its
 * projects, serves the newest.
 */
export const longestMetadata = 64 << 20;

/** The versions of a name in one place, and their names. */
export interface ServedPackage {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
  readonly tags: readonly ServedTag[];
}

/** Names of the versions. `latest` is the highest release where nobody said which it is, and the highest version without one. */
export function distTags({ versions, tags }: ServedPackage): Record<string, string> {
  const named = Object.fromEntries(tags.map(({ name, version }) => [name, version]));
  if (named.latest !== undefined || versions.length === 0) return named;
  const parsed = versions.map(({ version }) => parse(version)).filter((one): one is SemVer => one !== null);
  const releases = parsed.filter(({ prerelease }) => prerelease.length === 0);
  const candidates = releases.length > 0 ? releases : parsed;
  const highest = candidates.reduce((best, one) => (compareBuild(one, best) > 0 ? one : best));
  return { ...named, latest: highest.raw };
}

/** A JSON object with further members; the text of one that has some. */
const withMembers = (object: string, members: string): string => `${object.slice(0, -1)},${members}}`;

/** The address of a tarball: that of its project, wherever it was found. */
const tarballUrl = (api: string, projectId: number, name: string, version: string): string =>
  `${api}/projects/${projectId}/packages/npm/${name}/-/${tarballName(name, version)}`;

/**
 * The metadata of a package as JSON (G-4.17-14).
 * @param api address of the API, without a trailing slash
 * @param revision names the state of the package
 * @param form whole, or abbreviated: what installing needs, by the manifests that came with the versions
 */
export function packument(api: string, given: ServedPackage, form: 'full' | 'short', revision: string): string {
  const { name, versions } = given;
  const entries = versions.map(({ version, projectId, manifest, dist }) => {
    const url = JSON.stringify(tarballUrl(api, projectId, name, version));
    const id = form === 'full' ? `"_id":${JSON.stringify(`${name}@${version}`)},` : '';
    return `${JSON.stringify(version)}:${withMembers(manifest, `${id}"dist":${withMembers(dist, `"tarball":${url}`)}`)}`;
  });
  const changed = Math.max(...versions.map(({ updatedAt }) => updatedAt.getTime()));
  const created = Math.min(...versions.map(({ createdAt }) => createdAt.getTime()));
  const modified = new Date(changed).toISOString();
  const time = { created: new Date(created).toISOString(), modified };
  const times = Object.fromEntries(versions.map(({ version, createdAt }) => [version, createdAt.toISOString()]));
  const rest =
    form === 'full'
      ? { _id: name, _rev: revision, name, 'dist-tags': distTags(given), time: { ...time, ...times } }
      : { name, 'dist-tags': distTags(given), modified };
  return withMembers(JSON.stringify(rest), `"versions":{${entries.join(',')}}`);
}
