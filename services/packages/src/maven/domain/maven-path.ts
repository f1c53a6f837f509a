const name = /^[A-Za-z0-9_.-]+$/;
const versionPattern = /^(?!.*\.\.)[A-Za-z0-9_.+-]+$/;
const fileNamePattern = /^[A-Za-z0-9_.+~@-]+$/;
const longest = 255;

/** Digests that Maven keeps beside each file, as the endings of their names. */
export const checksums = ['md5', 'sha1', 'sha256', 'sha512'] as const;

/** A digest that Maven keeps beside a file. */
export type Checksum = (typeof checksums)[number];

/** What a path of a repository names. */
export interface MavenPath {
  /** Group and artifact as folders, `com/example/app`; the name of the package. */
  readonly name: string;
  /** Undefined for the metadata of all versions. */
  readonly version: string | undefined;
  readonly fileName: string;
  /** The digest of the file is meant, not the file. */
  readonly checksum: Checksum | undefined;
}

const isDotted = (segment: string): boolean => /^\.+$/.test(segment);
const isSegment = (pattern: RegExp, segment: string): boolean =>
  pattern.test(segment) && segment.length <= longest && !isDotted(segment);

/**
 * Reads a path: folders of the group, the artifact, the version, and the file. `maven-metadata.xml` that lies in no
 * folder of a snapshot is the metadata of all versions of what the folders name. Undefined for what is no such path:
 * each segment is a name of its own, so no path leads out.
 */
export function readMavenPath(path: string): MavenPath | undefined {
  const folders = path.split('/');
  const last = folders.pop() ?? '';
  const checksum = checksums.find((one) => last.endsWith(`.${one}`));
  const fileName = checksum === undefined ? last : last.slice(0, -checksum.length - 1);
  if (!isSegment(fileNamePattern, fileName)) return undefined;
  const isOfAll = fileName === 'maven-metadata.xml' && folders.at(-1)?.endsWith('-SNAPSHOT') !== true;
  const version = isOfAll ? undefined : folders.pop();
  if (version !== undefined && !isSegment(versionPattern, version)) return undefined;
  // A file belongs to an artifact of a group; metadata may be of a whole group.
  if (folders.length < (isOfAll ? 1 : 2) || !folders.every((one) => isSegment(name, one))) return undefined;
  const packageName = folders.join('/');
  return packageName.length > longest ? undefined : { name: packageName, version, fileName, checksum };
}

const digits = { md5: 32, sha1: 40, sha256: 64, sha512: 128 } as const;

/**
 * The digest in a file of Maven: its first word, as some tools write the name of the file after it. Undefined when there
 * is none.
 */
export function readDigest(checksum: Checksum, text: string): string | undefined {
  const [word = ''] = text.trim().split(/\s/, 1);
  return word.length === digits[checksum] && /^[0-9a-f]+$/i.test(word) ? word.toLowerCase() : undefined;
}
