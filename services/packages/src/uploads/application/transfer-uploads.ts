import { Readable } from 'node:stream';
import type { BlobStore } from '@switchyard/blobs';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { ProjectUpload, ProjectUploadPart } from '@switchyard/protos/rpc/v1/project_upload';
import { uploadParts, uploadsOf } from '@switchyard/service';
import { logger } from '@switchyard/telemetry';
import { uploadName } from '../domain/upload';
import type { Uploads } from './manage-uploads';
import type { UploadStore } from './upload.ports';

faultPoints.push('upload.transferred');

/** Uploads of one statement, and of one page. */
const batch = 100;

/** Bytes of a file that is held until its page is full: 6 MiB of all of them. */
const smallBytes = 64 << 10;

/** Names of files that are left out. */
const maxLeftOut = 100;

/** An import of an archive, and for whom it may write. */
export interface ArchiveImport {
  readonly projectId: number;
  readonly importKey: string;
  readonly importerId: number;
  readonly forEverybody: boolean;
}

/** What uploads are transferred with. */
export interface TransferEdges {
  readonly blobs: Pick<BlobStore, 'open'>;
  readonly uploads: Pick<UploadStore, 'after' | 'namesOf'>;
  readonly keepAll: Uploads['keepAll'];
  /** Bytes of the largest file. */
  readonly limit: number;
  /** The files of an archive as they come; its signal ends them. Fails with `not_found`, `unavailable`. */
  readonly readArchive: (importKey: string, signal: AbortSignal) => AsyncIterable<ProjectUploadPart>;
  /** Users by their names, for whom the import may write; undefined for nobody. */
  readonly uploadersOf: (
    rights: ArchiveImport,
    usernames: readonly string[],
  ) => Promise<(username: string) => number | undefined>;
}

interface Brought {
  readonly upload: ProjectUpload;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Files in pages: small ones are held until the page is full, a large one is a page of its own and is not held. */
async function* pagesOf(files: AsyncIterable<Brought>): AsyncGenerator<readonly Brought[]> {
  let page: Brought[] = [];
  for await (const { upload, content } of files) {
    const isSmall = upload.size <= smallBytes;
    if (isSmall) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      page.push({ upload, content: Readable.from(chunks) });
    }
    if (!isSmall || page.length === batch) {
      if (page.length > 0) yield page;
      page = [];
    }
    if (!isSmall) yield [{ upload, content }];
  }
  if (page.length > 0) yield page;
}

/** Builds the ways of uploads into archives and out of them; memory does not depend on their number and sizes. */
export const transferUploads = ({ blobs, uploads, keepAll, limit, readArchive, uploadersOf }: TransferEdges) => ({
  /** The uploads of a project; those without a blob are left out. */
  async *read(projectId: number): AsyncGenerator<ProjectUploadPart> {
    for (let after = 0; ; ) {
      const found = await uploads.after(projectId, after, batch);
      for (const { id, secret, fileName, size, uploader = '', createdAt, blob } of found) {
        const stored = await blobs.open(blob);
        if (stored === undefined) logger.error({ upload: id }, 'the blob of an upload is not there');
        else yield* uploadParts({ secret, fileName, size, uploader, createdAt }, stored.content);
        after = id;
      }
      if (found.length < batch) return;
    }
  },

  /**
   * Keeps the uploads of an archive, a page at a time; returns those that are too large, and those whose address another
   * one has.
   */
  async bring(
    rights: ArchiveImport,
    signal: AbortSignal,
  ): Promise<{ readonly item: string; readonly reason: string }[]> {
    const { projectId } = rights;
    const leftOut: { item: string; reason: string }[] = [];
    const leave = (item: string, reason: string): void => {
      if (leftOut.length < maxLeftOut) leftOut.push({ item, reason });
    };
    for await (const page of pagesOf(uploadsOf(readArchive(rights.importKey, signal)))) {
      const names = await uploads.namesOf(
        projectId,
        page.map(({ upload }) => upload.secret),
      );
      const uploaderOf = await uploadersOf(
        rights,
        page.map(({ upload }) => upload.uploader),
      );
      signal.throwIfAborted();
      const files = page.flatMap(({ upload: { secret, size, uploader, createdAt, ...named }, content }) => {
        const fileName = uploadName(named.fileName);
        const taken = names.get(secret);
        if (taken !== undefined) {
          if (taken !== fileName) leave(fileName, `The file has the address of ${taken}`);
          return [];
        }
        if (size > limit) {
          leave(fileName, `The file has ${size} bytes, more than may be uploaded here`);
          return [];
        }
        names.set(secret, fileName);
        const uploaderId = uploaderOf(uploader);
        return [{ projectId, uploaderId, source: undefined, secret, createdAt, nameFor: () => fileName, content }];
      });
      if (files.length > 0) await keepAll(files);
      faultPoint('upload.transferred');
    }
    return leftOut;
  },
});

/** What `transferUploads` gives. */
export type UploadTransfers = ReturnType<typeof transferUploads>;
