import type { Content } from '@switchyard/blobs';
import type { Database, Tx } from '@switchyard/database';
import { unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { Contents, ReceivedContent } from '../../contents';
import type { RefuseDuplicate } from '../../duplicates';
import type { RequireUnprotected } from '../../protection';
import type { Publication, Published, RecordedPublication } from '../domain/publication';
import type { PackageStore } from './package.ports';

faultPoints.push('package.file_written', 'package.file_committed');

/** Writes of a format that go with a publication. */
export type Beside = (tx: Tx, packageId: number) => Promise<void>;

/** Publishes files: the content streams into the blob store; row, use and event are one transaction. */
export interface Publishing {
  /**
   * Refuses a file before its body is received, which may be large, where `publishReceived` would: with `bad_request` one that
   * may not be published again, with `forbidden` where a protection rule wants a higher level.
   */
  requirePublishable(publication: Pick<Publication, 'key' | 'fileName' | 'publisher'>): Promise<void>;
  /**
   * Fails with the refusals of the publication, with `bad_request` for a file that may not be published again, with `forbidden` where a protection rule wants a higher level, with `too_large` beyond `limit` bytes, and with `unavailable`; then
   * nothing is kept.
   */
  publishFile(publication: Publication, content: Content, limit: number): Promise<Published>;
  /**
   * The same with a content that was received already, and that is discarded by its receiver when this fails.
   * @param also writes what the format has beside package and file, in the same transaction
   */
  publishReceived(publication: Publication, received: ReceivedContent, also?: Beside): Promise<Published>;
}

/** Builds the publishing of files. */
export function publishFile(edges: {
  readonly db: Database;
  readonly packages: PackageStore;
  readonly contents: Contents;
  readonly requireUnprotected: RequireUnprotected;
  readonly refuseDuplicate: RefuseDuplicate;
  /** Appends the fact to the outbox (D6). */
  readonly record: (tx: Tx, published: RecordedPublication) => Promise<void>;
}): Publishing {
  const { db, packages, contents, requireUnprotected, refuseDuplicate, record } = edges;

  async function publishReceived(
    publication: Publication,
    received: ReceivedContent,
    also?: Beside,
  ): Promise<Published> {
    const { key, fileName, publisher, status, metadata, fileMetadata = {}, refusePackage, refuseFile } = publication;
    publication.check?.(received);
    const published = await db.transaction(async (tx) => {
      await requireUnprotected(tx, 'push', key, publisher.level);
      const creatorId = publisher.userId || undefined;
      const { id: packageId, created } = await packages.open(tx, key, { creatorId, status, metadata });
      if (!created && refusePackage !== undefined) throw refusePackage();
      // The package is locked: of two publications of one name the second finds the file of the first.
      if (!created && (await packages.hasFile(tx, packageId, fileName))) {
        if (refuseFile !== undefined) throw refuseFile();
        await refuseDuplicate(tx, key.projectId, { ...key, fileName });
      }
      const contentId = await contents.keep(tx, received);
      if (contentId === undefined) throw unavailable(new Error('the blob was pruned before its row was written'));
      const { pipelineId } = publisher;
      const added = await packages.addFile(tx, { packageId, contentId, fileName, metadata: fileMetadata, pipelineId });
      const one = { ...received, packageId, fileId: added.id, createdAt: added.createdAt };
      await also?.(tx, packageId);
      await record(tx, { ...one, publication, created });
      faultPoint('package.file_written');
      return one;
    });
    faultPoint('package.file_committed');
    return published;
  }

  const requirePublishable: Publishing['requirePublishable'] = async ({ key, fileName, publisher }) => {
    await requireUnprotected(db, 'push', key, publisher.level);
    if ((await packages.findFile(key, fileName)) !== undefined)
      await refuseDuplicate(db, key.projectId, { ...key, fileName });
  };

  return {
    requirePublishable,
    publishReceived,
    async publishFile(publication, content, limit) {
      await requirePublishable(publication);
      return contents.receive(content, limit, (received) => publishReceived(publication, received));
    },
  };
}
