import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { npmError } from '../domain/npm-error';
import { isObject, type JsonObject } from '../domain/publication';

/** What a tarball may unpack to: bytes, entries, and bytes of its package.json. */
export const tarballBounds = { unpacked: 2 * (1 << 30), entries: 100_000, packageJson: 1 << 20 } as const;

/** What is read of a tarball while it passes. */
export interface TarballFacts {
  /** Hexadecimal. */
  readonly sha512: string;
  /** The package.json in its top folder; of several the last, which is the one that unpacking leaves. */
  readonly packageJson: JsonObject;
  readonly fileCount: number;
  /** Bytes of its files. */
  readonly unpackedSize: number;
}

const noArchive = () => npmError('bad_request', 'the tarball is not a gzipped tar archive');
const tooFar = () => npmError('bad_request', 'the tarball unpacks to too much');
const noPackageJson = () => npmError('bad_request', 'the tarball has no readable package.json');

async function readJson(entry: AsyncIterable<Buffer>): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of entry) {
    size += chunk.length;
    if (size > tarballBounds.packageJson) throw noPackageJson();
    chunks.push(chunk);
  }
  try {
    // Some editors begin a file with a byte order mark.
    const json: unknown = JSON.parse(
      Buffer.concat(chunks)
        .toString()
        .replace(/^\ufeff/, ''),
    );
    if (isObject(json)) return json;
  } catch {
    // Refused below.
  }
  throw noPackageJson();
}

/**
 * Inspects a tarball as it passes by. Nothing is unpacked, and memory does not depend on its size; links and devices are
 * not looked at. `through` and `facts` fail with `bad_request` for what is no tarball of a package.
 */
export function inspectTarball(): {
  /** The same content, which is inspected while it is read. */
  through(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** What was found, once the content has been read to its end. */
  facts(): Promise<TarballFacts>;
} {
  const sha512 = createHash('sha512');
  const gunzip = createGunzip();
  // What it says after its pipeline has ended, which knows why.
  gunzip.on('error', () => {});
  let unpacked = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpacked += chunk.length;
      if (unpacked > tarballBounds.unpacked) done(tooFar());
      else done(null, chunk);
    },
  });
  const tar = extract();
  let packageJson: JsonObject | undefined;
  let fileCount = 0;
  let unpackedSize = 0;
  let failure: unknown;

  async function readEntries(): Promise<void> {
    let entries = 0;
    for await (const entry of tar) {
      entries += 1;
      if (entries > tarballBounds.entries) throw tooFar();
      const { type, name, size = 0 } = entry.header;
      if (type === 'file') {
        fileCount += 1;
        unpackedSize += size;
        if (/^(?:\.\/)?[^/]+\/package\.json$/.test(name)) packageJson = await readJson(entry as AsyncIterable<Buffer>);
      }
      entry.resume();
    }
  }

  const unpacking = Promise.all([pipeline(gunzip, bounded, tar), readEntries()]).catch((error: unknown) => {
    failure = error instanceof Error && 'kind' in error ? error : noArchive();
    gunzip.destroy();
    tar.destroy();
  });

  return {
    async *through(content) {
      try {
        for await (const chunk of content) {
          sha512.update(chunk);
          if (failure !== undefined) throw failure;
          if (!gunzip.write(chunk))
            await Promise.race([new Promise((drained) => gunzip.once('drain', drained)), unpacking]);
          yield chunk;
        }
        gunzip.end();
        await unpacking;
        if (failure !== undefined) throw failure;
      } finally {
        gunzip.destroy();
      }
    },
    async facts() {
      await unpacking;
      if (failure !== undefined) throw failure;
      if (packageJson === undefined) throw noPackageJson();
      return { sha512: sha512.digest('hex'), packageJson, fileCount, unpackedSize };
    },
  };
}
