import type { BlobStore } from '@switchyard/blobs';
import { isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { ProjectUploadPart } from '@switchyard/protos/rpc/v1/project_upload';
import { uploadParts, uploadsOf } from '@switchyard/service';
import { logger } from '@switchyard/telemetry';
import { uploadName } from '../domain/upload';
import type { Uploads } from './manage-uploads';
import type { UploadStore } from './upload.ports';

faultPoints.push('upload.transferred');

/** Uploads of one statement. */
const batch = 100;

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
  readonly uploads: Pick<UploadStore, 'after' | 'findSecret'>;
  readonly keep: Uploads['keep'];
  /** The files of an archive as they come; its signal ends them. Fails with `not_found`, `unavailable`. */
  readonly readArchive: (importKey: string, signal: AbortSignal) => AsyncIterable<ProjectUploadPart>;
  /** A user by their name, for whom the import may write; undefined for nobody. */
  readonly uploaderOf: (rights: ArchiveImport, username: string) => Promise<number | undefined>;
}

/** Builds the ways of uploads into archives and out of them; memory does not depend on their number and sizes. */
export const transferUploads = ({ blobs, uploads, keep, readArchive, uploaderOf }: TransferEdges) => ({
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

  /** Keeps the uploads of an archive; returns those that are too large. */
  async bring(
    rights: ArchiveImport,
    signal: AbortSignal,
  ): Promise<{ readonly item: string; readonly reason: string }[]> {
    const { projectId } = rights;
    const leftOut: { item: string; reason: string }[] = [];
    for await (const { upload, content } of uploadsOf(readArchive(rights.importKey, signal))) {
      signal.throwIfAborted();
      const { secret, uploader, createdAt } = upload;
      if ((await uploads.findSecret(projectId, secret)) !== undefined) continue;
      const uploaderId = uploader === '' ? undefined : await uploaderOf(rights, uploader);
      const fileName = uploadName(upload.fileName);
      const file = { projectId, uploaderId, source: undefined, secret, createdAt, nameFor: () => fileName };
      await keep(file, content).catch((error: unknown) => {
        if (!isAppError(error, 'too_large')) throw error;
        if (leftOut.length < maxLeftOut)
          leftOut.push({ item: fileName, reason: `The file has ${upload.size} bytes, more than may be uploaded here` });
      });
      faultPoint('upload.transferred');
    }
    return leftOut;
  },
});

/** What `transferUploads` gives. */
export type UploadTransfers = ReturnType<typeof transferUploads>;
