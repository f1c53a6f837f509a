import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { AppError } from '@switchyard/errors';
import { extract, type Header } from 'tar-stream';
import { type EntryProblem, problemOfEntry } from '../domain/archive-entry';

/** What is wrong with an archive, or with the file that is read of it. */
export type ArchiveProblem = EntryProblem | 'no_archive' | 'unpacks_to_too_much' | 'file_too_large';

/** What an archive may be, and what is read of it. */
export interface ArchiveRules {
  /** Bytes that it may unpack to. */
  readonly unpacked: number;
  readonly entries: number;
  /** Names of the file that is read; of several the last, which is the one that unpacking leaves. */
  readonly wanted: RegExp;
  /** Bytes that this file may have. */
  readonly wantedBytes: number;
  /** Is shown each entry. */
  readonly onEntry?: (header: Header) => void;
  /** The refusal for a problem. */
  readonly refuse: (problem: ArchiveProblem) => AppError;
}

/** A gzipped tar archive that is inspected as it passes by. */
export interface InspectedArchive {
  /** The same content, which is inspected while it is read. Fails with a refusal. */
  through(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer>;
  /** The file that was read, once the content has been read to its end; undefined for none. Fails with a refusal. */
  file(): Promise<Buffer | undefined>;
}

/** Inspects a gzipped tar archive as it passes by. Nothing is unpacked, and memory does not depend on its size. */
export function inspectArchive(rules: ArchiveRules): InspectedArchive {
  const { refuse } = rules;
  const gunzip = createGunzip();
  // What it says after its pipeline has ended, which knows why.
  gunzip.on('error', () => {});
  let unpacked = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpacked += chunk.length;
      if (unpacked > rules.unpacked) done(refuse('unpacks_to_too_much'));
      else done(null, chunk);
    },
  });
  const tar = extract();
  let file: Buffer | undefined;
  let failure: unknown;

  async function read(entry: AsyncIterable<Buffer>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of entry) {
      size += chunk.length;
      if (size > rules.wantedBytes) throw refuse('file_too_large');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  async function readEntries(): Promise<void> {
    let entries = 0;
    for await (const entry of tar) {
      entries += 1;
      if (entries > rules.entries) throw refuse('unpacks_to_too_much');
      const { header } = entry;
      const problem = problemOfEntry(header);
      if (problem !== undefined) throw refuse(problem);
      rules.onEntry?.(header);
      if (header.type === 'file' && rules.wanted.test(header.name)) file = await read(entry as AsyncIterable<Buffer>);
      entry.resume();
    }
  }

  const unpacking = Promise.all([pipeline(gunzip, bounded, tar), readEntries()]).catch((error: unknown) => {
    failure = error instanceof Error && 'kind' in error ? error : refuse('no_archive');
    gunzip.destroy();
    tar.destroy();
  });

  return {
    async *through(content) {
      try {
        for await (const chunk of content as AsyncIterable<Buffer>) {
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
    async file() {
      await unpacking;
      if (failure !== undefined) throw failure;
      return file;
    },
  };
}
