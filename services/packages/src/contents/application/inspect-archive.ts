import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { AppError } from '@switchyard/errors';
import { extract, type Header } from 'tar-stream';
import {
  blockSize,
  type EntryProblem,
  isInTopFolder,
  isNamedTwice,
  nameAtTop,
  problemOfEntry,
} from '../domain/archive-entry';

/** What is wrong with an archive, or with the file that is read of it. */
export type ArchiveProblem = EntryProblem | 'no_archive' | 'unpacks_to_too_much' | 'file_too_large' | 'file_twice';

/** What an archive may be, and what is read of it. */
export interface ArchiveRules {
  /** Bytes that it may unpack to. */
  readonly unpacked: number;
  readonly entries: number;
  /** Name of the file in a folder at the top that is read; of several, in any case, readers do not agree which one counts. */
  readonly wanted: string;
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

const zeros = Buffer.alloc(blockSize);

/**
 * Finds the end of a tar archive, which is two blocks of zeros in place of an entry: what reads on, as our library does, finds
 * more than others.
 */
function endOfArchive(): {
  /** Looks at content, before it is unpacked. */
  see(chunk: Buffer): void;
  /** Whether an entry, whose content begins at `offset`, comes after the end. Entries come in order. */
  precedes(entry: { readonly offset: number; readonly size: number }): boolean;
} {
  let seen = 0;
  let isZero = true;
  let start: number | undefined;
  /** Where the content of the last entry ends. */
  let after = 0;
  let runs: { readonly start: number; readonly end: number }[] = [];

  function endBlock(): void {
    const begin = seen - blockSize;
    if (isZero) start ??= begin;
    else if (start !== undefined) {
      // Zeros in the content of an entry are its own.
      if (begin > after) runs.push({ start, end: begin });
      start = undefined;
    }
    isZero = true;
  }

  return {
    see(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const end = Math.min(chunk.length, at + blockSize - (seen % blockSize));
        isZero &&= chunk.compare(zeros, 0, end - at, at, end) === 0;
        seen += end - at;
        at = end;
        if (seen % blockSize === 0) endBlock();
      }
    },
    precedes({ offset, size }) {
      const found = runs.some((run) => run.end < offset && run.end - Math.max(run.start, after) >= 2 * blockSize);
      after = offset + Math.ceil(size / blockSize) * blockSize;
      runs = runs.filter(({ end }) => end > after);
      return found;
    },
  };
}

/** Keeps what stands between the contents of two entries: headers. */
function headersOfEntries(): {
  /** Looks at content, before it is unpacked. */
  see(chunk: Buffer): void;
  /** The headers of an entry, whose content begins at `offset`. Entries come in order. */
  of(entry: { readonly offset: number; readonly size: number }): Buffer;
} {
  let seen = 0;
  /** Where the content of the last entry ends. */
  let after = 0;
  /** What was seen from there on. */
  let kept: Buffer[] = [];

  return {
    see(chunk) {
      const known = Math.min(Math.max(after - seen, 0), chunk.length);
      if (known < chunk.length) kept.push(chunk.subarray(known));
      seen += chunk.length;
    },
    of({ offset, size }) {
      const [first] = kept;
      const all = first !== undefined && kept.length === 1 ? first : Buffer.concat(kept);
      const blocks = all.subarray(0, offset - after);
      const next = offset + Math.ceil(size / blockSize) * blockSize;
      kept = next - after < all.length ? [all.subarray(next - after)] : [];
      after = next;
      return blocks;
    },
  };
}

/** Inspects a gzipped tar archive as it passes by. Nothing is unpacked, and memory does not depend on its size. */
export function inspectArchive(rules: ArchiveRules): InspectedArchive {
  const { refuse } = rules;
  const gunzip = createGunzip();
  // What it says after its pipeline has ended, which knows why.
  gunzip.on('error', () => {});
  let unpacked = 0;
  const end = endOfArchive();
  const headers = headersOfEntries();
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpacked += chunk.length;
      end.see(chunk);
      headers.see(chunk);
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
    let found = 0;
    for await (const entry of tar) {
      entries += 1;
      if (entries > rules.entries) throw refuse('unpacks_to_too_much');
      const { header } = entry;
      const problem = problemOfEntry(header);
      if (problem !== undefined) throw refuse(problem);
      const { byteOffset: offset, size = 0 } = header as Header & { readonly byteOffset: number };
      const place = { offset, size: header.type === 'directory' ? 0 : size };
      if (end.precedes(place)) throw refuse('no_archive');
      if (isNamedTwice(headers.of(place))) throw refuse('named_twice');
      rules.onEntry?.(header);
      const name = header.type === 'directory' ? undefined : nameAtTop(header.name);
      if (name?.toLowerCase() === rules.wanted.toLowerCase()) {
        found += 1;
        if (found > 1) throw refuse('file_twice');
        if (name === rules.wanted && isInTopFolder(header.name)) file = await read(entry as AsyncIterable<Buffer>);
      }
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
