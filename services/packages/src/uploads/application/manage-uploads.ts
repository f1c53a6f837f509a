import { randomBytes } from 'node:crypto';
import type { Content } from '@switchyard/blobs';
import type { Database, PageInfo, PageRequest, Tx } from '@switchyard/database';
import { notFound, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { headBytes, imageTypeOf } from '@switchyard/images';
import type { Contents } from '../../contents';
import {
  anyFile,
  isSecret,
  type ListedUpload,
  type NewUpload,
  type StoredUpload,
  type Upload,
  type UploadPlace,
} from '../domain/upload';
import type { UploadStore } from './upload.ports';

faultPoints.push('upload.written', 'upload.committed', 'upload.deleted');

/** What the use cases are built from. */
export interface UploadEdges {
  readonly db: Database;
  readonly uploads: UploadStore;
  readonly contents: Contents;
  /** Has the uploads of a project measured soon, within the transaction of a change. */
  readonly measureSoon: (tx: Tx, projectId: number) => Promise<unknown>;
  /** Bytes of the largest file. */
  readonly limit: number;
}

/** A file that comes in. */
export type IncomingFile = Pick<NewUpload, 'projectId' | 'uploaderId' | 'source' | 'createdAt'> & {
  /** That of its link; undefined for a new one. */
  readonly secret?: string;
  /** Its name, once it is known what it is. */
  readonly nameFor: (found: Pick<Upload, 'contentType'>) => string;
};

/** The use cases of uploads; each fails with `not_found` for one that is not there. */
export interface Uploads {
  /** Those of a project, the newest first. */
  list(projectId: number, request: PageRequest): Promise<{ rows: ListedUpload[]; page: PageInfo }>;
  /** Keeps a file, which streams into the blob store. Fails with `too_large` and `unavailable`; then nothing is kept. */
  keep(file: IncomingFile, content: Content): Promise<Upload>;
  get(projectId: number, id: number): Promise<StoredUpload>;
  getAt(place: UploadPlace): Promise<StoredUpload>;
  remove(projectId: number, id: number): Promise<void>;
  removeAt(place: UploadPlace): Promise<void>;
}

/** The first bytes of a content, as far as it has come. */
interface Head {
  bytes: Buffer;
}

async function* noting(content: Content, head: Head): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    if (head.bytes.length < headBytes) head.bytes = Buffer.concat([head.bytes, chunk.subarray(0, headBytes)]);
    yield chunk;
  }
}

/** Builds the use cases. */
export function manageUploads({ db, uploads, contents, measureSoon, limit }: UploadEdges): Uploads {
  const found = <T>(upload: T | undefined): T => {
    if (upload === undefined) throw notFound();
    return upload;
  };

  async function removed(projectId: number, remove: (tx: Tx) => Promise<boolean>): Promise<void> {
    await db.transaction(async (tx) => {
      if (!(await remove(tx))) throw notFound();
      await measureSoon(tx, projectId);
    });
    faultPoint('upload.deleted');
    contents.collectSoon();
  }

  return {
    list: (projectId, request) => uploads.page(projectId, request),

    async keep({ nameFor, secret = randomBytes(16).toString('hex'), ...file }, content) {
      const head: Head = { bytes: Buffer.alloc(0) };
      const upload = await contents.receive(noting(content, head), limit, (received) =>
        db.transaction(async (tx) => {
          const contentId = await contents.keep(tx, received);
          if (contentId === undefined) throw unavailable(new Error('the blob was pruned before its row was written'));
          const contentType = imageTypeOf(head.bytes) ?? anyFile;
          const made = { ...file, secret, fileName: nameFor({ contentType }), contentType };
          const added = await uploads.add(tx, made, { id: contentId, size: received.size });
          await measureSoon(tx, file.projectId);
          faultPoint('upload.written');
          return added;
        }),
      );
      faultPoint('upload.committed');
      return upload;
    },

    get: async (projectId, id) => found(await uploads.find(projectId, id)),
    getAt: async (place) => found(isSecret(place.secret) ? await uploads.findAt(place) : undefined),
    remove: (projectId, id) => removed(projectId, (tx) => uploads.remove(tx, projectId, id)),
    removeAt: (place) =>
      removed(place.projectId, async (tx) => isSecret(place.secret) && (await uploads.removeAt(tx, place))),
  };
}
