import { createHash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ZippedFile } from '../application/go-modules';
import type { SourcePart } from '../application/source-code';

// The same zip each time: what Go verifies are names and contents.
const entryOptions = {
  mtime: new Date(Date.UTC(1980, 0, 1)),
  mode: 0o100644,
  compressionLevel: 1,
  forceDosTimestamp: true,
};

/** Names the zip of some files: it changes with their names and contents. */
export const zipTag = (files: readonly ZippedFile[]): string => {
  const digest = createHash('sha1');
  for (const { name, sha } of files) digest.update(`${name}\0${sha}\0`);
  return `W/"${digest.digest('base64url')}"`;
};

/**
 * Writes the zip of a module to `to` as the contents of its files come, and ends it. Memory does not depend on their
 * sizes.
 * @param contents those of `files`, in their order
 */
export async function writeModuleZip(
  files: readonly ZippedFile[],
  contents: AsyncIterable<SourcePart>,
  to: Writable,
): Promise<void> {
  const parts = contents[Symbol.asyncIterator]();
  let next = parts.next();
  next.catch(() => undefined);
  async function* contentOf(index: number): AsyncGenerator<Uint8Array> {
    for (let isFirst = true; ; isFirst = false) {
      const { value, done } = await next;
      if (done || value.index !== index) {
        if (isFirst) throw new Error('the contents end before the files');
        return;
      }
      next = parts.next();
      // What is awaited later must not count as unhandled until then.
      next.catch(() => undefined);
      if (value.content.length > 0) yield value.content;
    }
  }
  const zip = new ZipFile();
  const failed = new Promise<never>((_settle, refuse) => zip.on('error', refuse));
  failed.catch(() => undefined);
  for (const [index, { name, size }] of files.entries())
    zip.addReadStreamLazy(name, { ...entryOptions, size }, (give) => give(null, Readable.from(contentOf(index))));
  zip.end();
  try {
    await Promise.race([pipeline(zip.outputStream, to), failed]);
  } finally {
    await parts.return?.();
  }
}
