import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isBackupRunning } from '@switchyard/background';
import { type BlobStore, type Content, checkKey } from './blob-store';

/** Bytes that are read of a file at once: with the default of 64 KiB sending one takes twice the CPU. */
const readSize = 256 << 10;

/**
 * Bytes that are written at once, and chunks: a write for each chunk of 64 KiB from a connection takes a fifth of an upload's CPU.
 */
const writeSize = 512 << 10;
const writeChunks = 512;

/** Writes a content at the end of a file, while the next bytes of it come; returns how many there were. */
async function writeContent(handle: FileHandle, content: Content): Promise<number> {
  let size = 0;
  let gathered: Uint8Array[] = [];
  let gatheredSize = 0;
  let writing: Promise<void> = Promise.resolve();
  const writeAll = async (chunks: Uint8Array[], wanted: number): Promise<void> => {
    const { bytesWritten } = await handle.writev(chunks);
    if (bytesWritten < wanted) await handle.appendFile(Buffer.concat(chunks).subarray(bytesWritten));
  };
  const write = async (): Promise<void> => {
    await writing;
    writing = writeAll(gathered, gatheredSize);
    // Its failure is met by whoever awaits it next.
    writing.catch(() => undefined);
    [gathered, gatheredSize] = [[], 0];
  };
  try {
    for await (const chunk of content) {
      gathered.push(chunk);
      gatheredSize += chunk.length;
      size += chunk.length;
      if (gatheredSize >= writeSize || gathered.length >= writeChunks) await write();
    }
    if (gathered.length > 0) await write();
    await writing;
  } finally {
    // The file is closed afterwards.
    await writing.catch(() => undefined);
  }
  return size;
}

/** Flushes a folder, so that a name in it outlives a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** `mkdir -p`, closed to other users, that flushes each folder that gained a name. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Blobs as files below a folder, which is made when it is needed; several processes may share it. Nothing is removed
 * while a backup is made of the data folder above it.
 */
export function diskStore(root: string): BlobStore {
  /** Spread over 256 folders a kind: the last segment may be one of millions. */
  function fileOf(key: string): string {
    checkKey(key);
    const segments = key.split('/');
    const last = segments.pop() as string;
    return join(root, ...segments, createHash('sha1').update(last).digest('hex').slice(0, 2), last);
  }
  // A name of its own that follows from the key: a killed writer leaves what `remove` can find.
  const unfinished = (file: string): string => `${file}.part`;

  return {
    async write(key, content) {
      const file = fileOf(key);
      await makeFolder(dirname(file));
      // A key is written once: a second writer would mix its bytes with the first one's.
      const handle: FileHandle = await open(unfinished(file), 'wx', 0o600);
      let size: number;
      try {
        size = await writeContent(handle, content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(unfinished(file), file);
      await syncFolder(dirname(file));
      return size;
    },

    async open(key, range) {
      try {
        const handle = await open(fileOf(key), 'r');
        try {
          const { size } = await handle.stat();
          const { start, end } = range ?? { start: 0, end: size - 1 };
          // A small file takes one small read, and none that finds its end.
          const part = end < start ? {} : { start, end, highWaterMark: Math.min(readSize, end - start + 1) };
          return { size, content: createReadStream('', { fd: handle, ...part }) };
        } catch (error) {
          await handle.close();
          throw error;
        }
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },

    addressOf: async () => undefined,

    async remove(key) {
      if (await isBackupRunning(dirname(root))) throw new Error('a backup is being made');
      const file = fileOf(key);
      for (const one of [unfinished(file), file]) await rm(one, { force: true });
    },

    close: () => {},
  };
}
