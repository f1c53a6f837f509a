import { createHash } from 'node:crypto';
import { inspectArchive } from '../../contents';
import { npmError } from '../domain/npm-error';
import { isObject, type JsonObject } from '../domain/publication';

/** What a tarball may unpack to: bytes, entries, and bytes of its package.json. */
export const tarballBounds = { unpacked: 2 * (1 << 30), entries: 100_000, packageJson: 1 << 20 } as const;

/** What is read of a tarball while it passes. */
export interface TarballFacts {
  /** Hexadecimal. */
  readonly sha512: string;
  /** The package.json in its top folder. */
  readonly packageJson: JsonObject;
  readonly fileCount: number;
  /** Bytes of its files. */
  readonly unpackedSize: number;
}

const noPackageJson = () => npmError('bad_request', 'the tarball has no readable package.json');
const refusals = {
  no_archive: () => npmError('bad_request', 'the tarball is not a gzipped tar archive'),
  unpacks_to_too_much: () => npmError('bad_request', 'the tarball unpacks to too much'),
  file_too_large: noPackageJson,
  file_twice: () => npmError('bad_request', 'the tarball has more than one package.json'),
  link_or_device: () => npmError('bad_request', 'the tarball has a link or a device'),
  named_twice: () => npmError('bad_request', 'the tarball names a file in two ways'),
  leads_out: () => npmError('bad_request', 'the tarball has a file outside of its folder'),
} as const;

function parsed(content: Buffer | undefined): JsonObject {
  try {
    // Some editors begin a file with a byte order mark.
    const json: unknown = JSON.parse((content?.toString() ?? '').replace(/^\ufeff/, ''));
    if (isObject(json)) return json;
  } catch {
    // Refused below.
  }
  throw noPackageJson();
}

/**
 * Inspects a tarball as it passes by. Nothing is unpacked, and memory does not depend on its size. `through` and `facts` fail with `bad_request` for what is no tarball of a package.
 */
export function inspectTarball(): {
  /** The same content, which is inspected while it is read. */
  through(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** What was found, once the content has been read to its end. */
  facts(): Promise<TarballFacts>;
} {
  const sha512 = createHash('sha512');
  let fileCount = 0;
  let unpackedSize = 0;
  const archive = inspectArchive({
    unpacked: tarballBounds.unpacked,
    entries: tarballBounds.entries,
    wanted: 'package.json',
    wantedBytes: tarballBounds.packageJson,
    onEntry({ type, size = 0 }) {
      if (type !== 'file') return;
      fileCount += 1;
      unpackedSize += size;
    },
    refuse: (problem) => refusals[problem](),
  });
  return {
    async *through(content) {
      for await (const chunk of archive.through(content)) {
        sha512.update(chunk);
        yield chunk;
      }
    },
    async facts() {
      const packageJson = parsed(await archive.file());
      return { sha512: sha512.digest('hex'), packageJson, fileCount, unpackedSize };
    },
  };
}
