import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { BlobStore } from '@switchyard/blobs';
import { isAppError, unavailable } from '@switchyard/errors';
import type { ProjectUploadPart } from '@switchyard/protos/rpc/v1/project_upload';
import { uploadParts } from '@switchyard/service';
import { extract } from 'tar-stream';
import { archiveBounds } from '../../project-exports';
import { badArchive, type EntryPlace, isPast, isUploadRecord, maxEntry, placeOf } from '../domain/archive-order';
import { type ArchiveOrigin, originOf, withOwnLinks } from '../domain/own-links';
import { readUpload } from './archived-upload';

/** An entry that is read. */
export interface ArchiveEntry {
  readonly place: EntryPlace;
  /** Bytes. */
  readonly size: number;
  /** Its bytes, once; an entry that is not read is passed over. */
  content(): Promise<Buffer>;
  /** The same as they come. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** What archives are read with. */
export interface ReadingEdges {
  readonly blobs: Pick<BlobStore, 'open'>;
}

/** What the store cannot give now may be there later. */
async function* fromStore(content: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw unavailable(error);
  }
}

async function* limited(content: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > most) throw badArchive('it is far larger than its file');
    yield chunk;
  }
}

async function whole(entry: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * The entries of an archive in their order, as they come: what is held in memory is one entry.
 * @throws AppError unprocessable for what is no archive, and for an entry that none has; unavailable without the blob
 */
export async function* readEntries(
  { blobs }: ReadingEdges,
  { blob, size }: { readonly blob: string; readonly size: number },
): AsyncGenerator<ArchiveEntry> {
  const stored = await blobs.open(blob);
  if (stored === undefined) throw unavailable(new Error('the blob of an import is not there'));
  const archive = extract();
  let failure: unknown;
  // Its error reaches the reader of `archive`.
  pipeline(
    fromStore(stored.content),
    createGunzip(),
    (given) => limited(given as Readable, archiveBounds(size).unpacked),
    archive,
    (error) => {
      failure = error;
    },
  );
  try {
    for await (const entry of archive) {
      const { name, type, size: length = 0 } = entry.header;
      if (type !== 'file') throw badArchive('it has something that is no file');
      const place = placeOf(name);
      const isFile = place.part === 'uploads' && !isUploadRecord(place);
      if (length > maxEntry && !isFile) throw badArchive('it has an entry that is too large');
      const chunks = entry as AsyncIterable<Buffer>;
      yield { place, size: length, chunks, content: () => whole(chunks) };
      // The next one comes when this one was read.
      if (!entry.destroyed) entry.resume();
    }
  } catch (error) {
    if (isAppError(error)) throw error;
    throw isAppError(failure) ? failure : badArchive('its file cannot be unpacked');
  } finally {
    archive.destroy();
    stored.content.destroy();
  }
}

/** Reads pages of an archive that is in order; those that follow one another are read in one pass. */
export function archivePages(edges: ReadingEdges, file: { readonly blob: string; readonly size: number }) {
  let entries: AsyncGenerator<ArchiveEntry> | undefined;
  let ahead: ArchiveEntry | undefined;
  let origin: ArchiveOrigin | undefined;
  /** What was asked for last: between it and `ahead` there is nothing. */
  let sought: EntryPlace | undefined;

  async function step(): Promise<ArchiveEntry | undefined> {
    entries ??= readEntries(edges, file);
    const { value, done } = await entries.next();
    if (done) entries = undefined;
    ahead = done ? undefined : value;
    if (ahead?.place.part === 'format') origin = originOf(await ahead.content());
    return ahead;
  }

  const isAt = ({ place }: ArchiveEntry, kind: string, page: number): boolean =>
    place.part === 'records' && place.kind === kind && place.page === page;

  async function close(): Promise<void> {
    await entries?.return(undefined);
    entries = undefined;
    ahead = undefined;
  }

  /** Finds a page from where the reading stands. */
  async function seek(kind: string, page: number): Promise<boolean> {
    let at = ahead ?? (await step());
    while (at !== undefined && !isAt(at, kind, page) && !isPast(at.place, kind, page)) at = await step();
    return at !== undefined && isAt(at, kind, page);
  }

  return {
    /** A page of records; undefined where the archive has none. `isLast`: no other one of the kind follows. */
    async page(kind: string, page: number): Promise<{ readonly lines: Buffer; readonly isLast: boolean } | undefined> {
      if (sought !== undefined && isPast(sought, kind, page)) await close();
      sought = { part: 'records', kind, page };
      const lines = (await seek(kind, page)) ? await ahead?.content() : undefined;
      if (lines === undefined) return undefined;
      const next = await step();
      const isLast = next === undefined || !isAt(next, kind, page + 1);
      return { lines: origin === undefined ? lines : withOwnLinks(lines, origin), isLast };
    },
    close,
  };
}

/** The repository of an archive, or its wiki, as it comes; nothing where it has none. */
export async function* readBundle(
  edges: ReadingEdges,
  file: { readonly blob: string; readonly size: number },
  of: 'repository' | 'wiki',
): AsyncGenerator<Buffer> {
  for await (const entry of readEntries(edges, file)) if (entry.place.part === of) yield entry.content();
}

/** The files of an archive that texts link to, as messages of a stream. */
export async function* readUploads(
  edges: ReadingEdges,
  file: { readonly blob: string; readonly size: number },
): AsyncGenerator<ProjectUploadPart> {
  let record: Buffer | undefined;
  for await (const { place, content, chunks } of readEntries(edges, file)) {
    if (isUploadRecord(place)) record = await content();
    else if (place.part === 'uploads' && record !== undefined) yield* uploadParts(readUpload(record), chunks);
  }
}
