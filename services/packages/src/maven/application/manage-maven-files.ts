import { createHash } from 'node:crypto';
import type { Content } from '@switchyard/blobs';
import { conflict, notFound } from '@switchyard/errors';
import type { Contents } from '../../contents';
import type { PackageFile, PackageKey, PackagePlace, PackagesArea, Publisher } from '../../packages';
import type { Checksum, MavenPath } from '../domain/maven-path';

/** What the use cases work with. */
export interface MavenEdges {
  readonly packages: Pick<
    PackagesArea,
    'requirePublishable' | 'publishReceived' | 'findFiles' | 'findFileIn' | 'recordDownload'
  >;
  readonly contents: Pick<Contents, 'receive'>;
}

/**
 * Files with one name with which a checksum is compared: two deployments at once may each send their
 * `maven-metadata.xml` before the checksum of either.
 */
const compared = 20;

const keyOf = (projectId: number, { name, version }: MavenPath): PackageKey => ({
  projectId,
  format: 'maven',
  name,
  version,
});

/** The digest of a file; undefined where it is not known. */
export function digestOf({ md5, sha1, sha256, metadata }: PackageFile, checksum: Checksum): string | undefined {
  const { sha512 } = metadata as { readonly sha512?: string };
  return { md5, sha1, sha256, sha512 }[checksum];
}

/** The use cases of a Maven repository; the gateway has checked what the caller may do. */
export const manageMavenFiles = ({ packages, contents }: MavenEdges) => ({
  /** Adds a file of at most `limit` bytes, which is served from then on. Fails as `Publishing` does. */
  async publish(
    {
      projectId,
      path,
      publisher,
    }: { readonly projectId: number; readonly path: MavenPath; readonly publisher: Publisher },
    content: Content,
    limit: number,
  ): Promise<void> {
    const publication = { key: keyOf(projectId, path), fileName: path.fileName, publisher };
    await packages.requirePublishable(publication);
    // Contents have no SHA-512: Maven alone asks for it.
    const sha512 = createHash('sha512');
    async function* measured(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        sha512.update(chunk);
        yield chunk;
      }
    }
    await contents.receive(measured(), limit, (received) => {
      const fileMetadata = { sha512: sha512.digest('hex') };
      return packages.publishReceived({ ...publication, fileMetadata }, received);
    });
  },

  /** Compares a digest with the file that it is of. Fails with `not_found`, and with `conflict` for another digest. */
  async verify(projectId: number, path: MavenPath, checksum: Checksum, digest: string): Promise<void> {
    const found = await packages.findFiles(keyOf(projectId, path), path.fileName, compared);
    if (found.length === 0) throw notFound();
    if (!found.some((file) => digestOf(file, checksum) === digest))
      throw conflict(`The ${checksum} does not match the file`);
  },

  /** The newest file of a path in a place; undefined when there is none. */
  find: (place: PackagePlace, { name, version, fileName }: MavenPath): Promise<PackageFile | undefined> =>
    packages.findFileIn(place, { format: 'maven', name, version }, fileName),

  recordDownload: packages.recordDownload,
});

/** What `manageMavenFiles` gives. */
export type MavenFiles = ReturnType<typeof manageMavenFiles>;
