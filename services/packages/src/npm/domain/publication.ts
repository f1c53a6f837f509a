import { npmError } from './npm-error';
import { cleanVersion, isPackageName, isTag, isVersion, tarballName, versionOfTarball } from './npm-names';

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** The attachment of a document: its name there, and what its content turned out to be. */
export interface AttachedTarball {
  readonly fileName: string;
  /** Bytes. */
  readonly size: number;
  /** Digests, hexadecimal. */
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
  /** The package.json in it. */
  readonly packageJson: JsonObject;
  readonly fileCount: number;
  /** Bytes of its files. */
  readonly unpackedSize: number;
}

/** A version that is to be published. */
export interface NpmPublication {
  readonly version: string;
  readonly fileName: string;
  /** Names that the version gets. */
  readonly tags: readonly string[];
  /** Why nobody should use it any more; empty for a version that is not deprecated. */
  readonly deprecated: string;
  readonly metadata: NpmMetadata;
}

/** What is kept of a version. The address of its tarball is not: it depends on where Switchyard is. */
export interface NpmMetadata extends JsonObject {
  /** As it was published, without `dist` and what is made for each reply. */
  readonly manifest: JsonObject;
  /** What installing needs of it. */
  readonly short: JsonObject;
  /** Digests and sizes of the tarball. */
  readonly dist: JsonObject;
}

/** Members of a manifest that installing needs (npm's abbreviated form). */
const shortMembers = [
  ...['name', 'version', 'deprecated', 'dependencies', 'optionalDependencies', 'devDependencies'],
  ...['bundleDependencies', 'bundledDependencies', 'peerDependencies', 'peerDependenciesMeta', 'acceptDependencies'],
  ...['bin', 'directories', 'engines', 'os', 'cpu', 'libc', 'funding', 'hasInstallScript', '_hasShrinkwrap'],
];

/** Longest manifest, characters: those of one name are read together, and large real ones have 100,000. */
const longestManifest = 1 << 20;

/** Longest text of a deprecation, characters. */
const longestDeprecation = 3_000;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member that has to be an object; an empty one where it is left out. */
export function objectOf(document: JsonObject, name: string): JsonObject {
  const value = document[name] ?? {};
  if (!isObject(value)) throw npmError('bad_request', `${name} is invalid`);
  return value;
}

/** The text of a deprecation. Fails with `bad_request` for what is none. */
export function deprecationOf(manifest: JsonObject): string {
  const text = manifest.deprecated ?? '';
  if (text === false) return '';
  if (typeof text !== 'string' || text.length > longestDeprecation)
    throw npmError('bad_request', 'deprecated is invalid');
  return text;
}

/** Whether every digest that is claimed is that of the content (`dist.integrity`, `dist.shasum`). */
function isWhatItClaims(dist: JsonObject, { sha1, sha256, sha512 }: AttachedTarball): boolean {
  const found: Readonly<Record<string, string>> = { sha1, sha256, sha512 };
  if (dist.shasum !== undefined && dist.shasum !== sha1) return false;
  if (dist.integrity === undefined) return true;
  if (typeof dist.integrity !== 'string') return false;
  return dist.integrity
    .trim()
    .split(/\s+/)
    .every((claim) => {
      const [, algorithm = '', digest = ''] = /^(sha\d+)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(claim) ?? [];
      return found[algorithm] === Buffer.from(digest, 'base64').toString('hex');
    });
}

const scriptsAtInstall = ['preinstall', 'install', 'postinstall'];

function hasInstallScript({ scripts }: JsonObject): boolean {
  return isObject(scripts) && scriptsAtInstall.some((name) => typeof scripts[name] === 'string');
}

function metadataOf(manifest: JsonObject, tarball: AttachedTarball): NpmMetadata {
  const { dist, readme, readmeFilename, _id, _attachments, ...published } = manifest;
  const kept: JsonObject = hasInstallScript(published) ? { ...published, hasInstallScript: true } : published;
  const short = Object.fromEntries(shortMembers.filter((name) => name in kept).map((name) => [name, kept[name]]));
  const { sha1, sha512, fileCount, unpackedSize } = tarball;
  const integrity = `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`;
  return { manifest: kept, short, dist: { shasum: sha1, integrity, fileCount, unpackedSize } };
}

/**
 * What a document with a tarball publishes under a name. npm sends the version without build metadata, Yarn as the
 * package.json has it. Fails with `bad_request` where name, version, sizes, digests,
 * tags and the package.json in the tarball do not agree with each other.
 */
export function readPublication(name: string, document: JsonObject, tarball: AttachedTarball): NpmPublication {
  const refuse = (text: string) => npmError('bad_request', text);
  if (!isPackageName(name)) throw refuse('Package name is invalid');
  if (document.name !== name) throw refuse('name does not match the address');
  const versions = Object.entries(objectOf(document, 'versions'));
  const [[given, manifest] = ['', undefined]] = versions;
  if (versions.length !== 1 || !isObject(manifest)) throw refuse('versions must have the one version of the tarball');
  const version = isVersion(given) ? cleanVersion(given) : undefined;
  const fileName = tarballName(name, version ?? '');
  if (version === undefined || fileName.length > 255) throw refuse('version is invalid');
  if (manifest.name !== name || manifest.version !== given) throw refuse('name or version of the manifest is wrong');
  if (versionOfTarball(name, tarball.fileName) !== given) throw refuse('name of the attachment is wrong');
  const { length } = objectOf(objectOf(document, '_attachments'), tarball.fileName);
  if (length !== undefined && length !== tarball.size) throw refuse('length of the attachment is wrong');
  if (!isWhatItClaims(objectOf(manifest, 'dist'), tarball)) throw refuse('digest of the tarball does not match');
  const { packageJson } = tarball;
  if (packageJson.name !== name || cleanVersion(String(packageJson.version)) !== version)
    throw refuse('package.json of the tarball has another name or version');
  const tags = Object.entries(objectOf(document, 'dist-tags'));
  if (!tags.every(([tag, named]) => isTag(tag) && named === given)) throw refuse('dist-tags is invalid');
  const deprecated = deprecationOf(manifest);
  if (deprecated === '') delete manifest.deprecated;
  const metadata = metadataOf({ ...manifest, version }, tarball);
  if (JSON.stringify(metadata.manifest).length > longestManifest) throw refuse('the manifest is too long');
  return { version, fileName, tags: tags.map(([tag]) => tag), deprecated, metadata };
}
