import { randomBytes } from 'node:crypto';
import type { Content } from '@switchyard/blobs';
import type { Database, PageInfo, PageRequest, Tx } from '@switchyard/database';
import { notFound, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { headBytes, imageTypeOf } from '@switchyard/images';
import type { Contents, ReceivedContent } from '../../contents';
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

/** A file that comes in, with what is in it. */
export type ContainedFile = IncomingFile & { readonly content: Content };

/** The use cases of uploads; each fails with `not_found` for one that is not there. */
export interface Uploads {
  /** Those of a project, the newest first. */
  list(projectId: number, request: PageRequest): Promise<{ rows: ListedUpload[]; page: PageInfo }>;
  /** Keeps a file, which streams into the blob store. Fails with `too_large` and `unavailable`; then nothing is kept. */
  keep(file: IncomingFile, content: Content): Promise<Upload>;
  /** Keeps files of one project, all of them or none: fails as `keep`. Returns them in their order. */
  keepAll(files: readonly ContainedFile[]): Promise<Upload[]>;
  get(projectId: number, id: number): Promise<StoredUpload>;
  getAt(place: UploadPlace): Promise<StoredUpload>;
  remove(projectId: number, id: number): Promise<void>;
  removeAt(place: UploadPlace): Promise<void>;
}

/** The first bytes of a content, as far as it has come. */
interface Head {
  bytes: Buffer;
}

/** A file whose content is in the blob store. */
interface ReceivedFile {
  readonly file: ContainedFile;
  readonly head: Head;
  readonly received: ReceivedContent;
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

  async function keepOne(tx: Tx, { file, head, received }: ReceivedFile): Promise<Upload> {
    const { content: _, nameFor, secret = randomBytes(16).toString('hex'), ...given } = file;
    const contentId = await contents.keep(tx, received);
    if (contentId === undefined) throw unavailable(new Error('the blob was pruned before its row was written'));
    const contentType = imageTypeOf(head.bytes) ?? anyFile;
    const made = { ...given, secret, fileName: nameFor({ contentType }), contentType };
    return uploads.add(tx, made, { id: contentId, size: received.size });
  }

  const keepRows = (files: readonly ReceivedFile[]): Promise<Upload[]> =>
    db.transaction(async (tx) => {
      const kept = new Map<ReceivedFile, Upload>();
      // Contents are locked in one order (ADR 24).
      for (const one of files.toSorted((a, b) => (a.received.sha256 < b.received.sha256 ? -1 : 1)))
        kept.set(one, await keepOne(tx, one));
      for (const projectId of new Set(files.map(({ file }) => file.projectId))) await measureSoon(tx, projectId);
      faultPoint('upload.written');
      return files.flatMap((one) => kept.get(one) ?? []);
    });

  async function keepAll(files: readonly ContainedFile[]): Promise<Upload[]> {
    // Each receives those after it: where one fails, the blobs of all before it are discarded.
    const receive = (before: readonly ReceivedFile[]): Promise<Upload[]> => {
      const file = files[before.length];
      if (file === undefined) return keepRows(before);
      const head: Head = { bytes: Buffer.alloc(0) };
      return contents.receive(noting(file.content, head), limit, (received) =>
        receive([...before, { file, head, received }]),
      );
    };
    const kept = await receive([]);
    faultPoint('upload.committed');
    return kept;
  }

  return {
    list: (projectId, request) => uploads.page(projectId, request),

    async keep(file, content) {
      const [upload] = await keepAll([{ ...file, content }]);
      return found(upload);
    },
    keepAll,

    get: async (projectId, id) => found(await uploads.find(projectId, id)),
    getAt: async (place) => found(isSecret(place.secret) ? await uploads.findAt(place) : undefined),
    remove: (projectId, id) => removed(projectId, (tx) => uploads.remove(tx, projectId, id)),
    removeAt: (place) =>
      removed(place.projectId, async (tx) => isSecret(place.secret) && (await uploads.removeAt(tx, place))),
  };
}
