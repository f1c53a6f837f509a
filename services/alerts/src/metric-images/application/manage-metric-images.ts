import { randomUUID } from 'node:crypto';
import type { BlobRemains, BlobStore, Content, StoredBlob } from '@switchyard/blobs';
import type { Database, PageInfo, PageRequest } from '@switchyard/database';
import { AppError, invalidParams, isAppError, notFound, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { headBytes, imageTypeOf } from '@switchyard/images';
import type { AlertNumber } from '../../alerts';
import {
  checkLink,
  type ImageLink,
  type MetricImage,
  notAnImage,
  type StoredImage,
  storedFilename,
} from '../domain/metric-image';
import type { MetricImageStore } from './metric-image.ports';

faultPoints.push(
  'metric_image.expected',
  'metric_image.stored',
  'metric_image.written',
  'metric_image.committed',
  'metric_image.deleted',
  'metric_image.swept',
);

/** What the use cases of metric images are built from. */
export interface MetricImageEdges {
  readonly db: Database;
  readonly images: MetricImageStore;
  readonly blobs: BlobStore;
  /** Blobs that no image uses. */
  readonly remains: BlobRemains;
  /** Bytes of the largest image. */
  readonly limit: number;
  /** Starts pruning of due blobs soon. */
  readonly pruneSoon: () => void;
}

/** Consumes a file while it is read. */
export type TakeFile = (filename: string, content: Content) => Promise<void>;

/** Reads a form: passes its file to `take` as a stream, and returns its fields. */
export type ReadForm = (take: TakeFile) => Promise<ImageLink>;

/** The use cases of the images of an alert; each fails with `not_found` for a missing alert or image. */
export interface MetricImages {
  list(at: AlertNumber, request: PageRequest): Promise<{ rows: MetricImage[]; page: PageInfo }>;
  /**
   * Attaches the file of a form, which streams into the blob store. Fails with `invalid_params` without a file,
   * `unprocessable` for a file that is no image or an invalid link, `too_large`, and `unavailable` with the store; then
   * nothing is kept.
   */
  upload(at: AlertNumber, readForm: ReadForm): Promise<MetricImage>;
  /** Opens the content of an image. */
  open(at: AlertNumber, id: number): Promise<{ image: MetricImage & StoredImage; content: () => Promise<StoredBlob> }>;
  /** Sets the link; undefined parts stay, empty ones are removed. */
  update(at: AlertNumber, id: number, link: Partial<ImageLink>): Promise<MetricImage>;
  remove(at: AlertNumber, id: number): Promise<void>;
}

const noImage = () => notFound('Metric image');

/** A store that is full or cannot be reached is not the caller's fault. */
function asUnavailable(error: unknown): never {
  throw isAppError(error) ? error : unavailable(error);
}

/** The type of a content, known after its first bytes. */
interface Inspection {
  contentType: string;
}

/** Passes a content on once it is known to be an image, and no byte beyond the limit. */
async function* inspected(content: Content, limit: number, found: Inspection): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > limit) throw new AppError('too_large');
    if (found.contentType === '') {
      head = Buffer.concat([head, chunk]);
      if (head.length < headBytes) continue;
      found.contentType = typeOf(head);
      yield head;
    } else yield chunk;
  }
  if (found.contentType === '') throw notAnImage();
}

function typeOf(head: Uint8Array): string {
  const type = imageTypeOf(head);
  if (type === undefined) throw notAnImage();
  return type;
}

/** Builds the use cases. */
export function manageMetricImages({ db, images, blobs, remains, limit, pruneSoon }: MetricImageEdges): MetricImages {
  async function alertAt({ projectId, iid }: AlertNumber): Promise<number> {
    const id = await images.alertId(projectId, iid);
    if (id === undefined) throw notFound('Alert');
    return id;
  }

  async function store(blob: string, written: string, content: Content): Promise<StoredImage> {
    const filename = storedFilename(written);
    const found: Inspection = { contentType: '' };
    // A content that its first bytes refuse leaves no row.
    const image = inspected(content, limit, found);
    const start = await image.next();
    await remains.expect(blob);
    faultPoint('metric_image.expected');
    const size = await blobs.write(blob, resumed(start, image)).catch(asUnavailable);
    faultPoint('metric_image.stored');
    return { blob, filename, contentType: found.contentType, size };
  }

  async function attach(alertId: number, image: StoredImage & ImageLink): Promise<MetricImage> {
    const attached = await db.transaction(async (tx) => {
      const row = await images.attach(tx, alertId, image);
      // Thrown inside the transaction: the blob stays expected, and is pruned.
      if (row === undefined) throw notFound('Alert');
      faultPoint('metric_image.written');
      return row;
    });
    faultPoint('metric_image.committed');
    return attached;
  }

  return {
    list: async (at, request) => images.page(await alertAt(at), request),

    async upload(at, readForm) {
      const alertId = await alertAt(at);
      const blob = `metric-images/${randomUUID()}`;
      try {
        let stored: StoredImage | undefined;
        const link = await readForm(async (filename, content) => {
          stored = await store(blob, filename, content);
        });
        if (stored === undefined) throw invalidParams('file is missing');
        checkLink(link);
        return await attach(alertId, { ...stored, ...link });
      } catch (error) {
        // If this fails too, the blob is pruned after an hour.
        await remains.discard(blob).then(pruneSoon, () => undefined);
        throw error;
      }
    },

    async open(at, id) {
      const image = await images.find(await alertAt(at), id);
      if (image === undefined) throw noImage();
      return {
        image,
        content: async () => {
          const blob = await blobs.open(image.blob).catch(asUnavailable);
          if (blob === undefined) throw noImage();
          return blob;
        },
      };
    },

    async update(at, id, link) {
      checkLink(link);
      const image = await images.update(await alertAt(at), id, link);
      if (image === undefined) throw noImage();
      return image;
    },

    async remove(at, id) {
      const alertId = await alertAt(at);
      const removed = await db.transaction((tx) => images.remove(tx, alertId, id));
      if (!removed) throw noImage();
      faultPoint('metric_image.deleted');
      pruneSoon();
    },
  };
}

async function* resumed(
  start: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (start.done !== true) yield start.value;
  yield* rest;
}
