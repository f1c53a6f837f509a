import type { Content } from '@switchyard/blobs';
import type { Database, Tx } from '@switchyard/database';
import { type AppError, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { Contents, ReceivedContent } from '../../contents';
import type { PackageKey, PackageStore } from './package.ports';

faultPoints.push('package.file_written', 'package.file_committed');

/** Who publishes. */
export interface Publisher {
  /** 0 for a deploy token. */
  readonly userId: number;
  /** Pipeline whose job token is used; undefined for none. */
  readonly pipelineId: number | undefined;
}

/** A file that is to become part of a package. */
export interface Publication {
  readonly key: PackageKey;
  readonly fileName: string;
  readonly publisher: Publisher;
  /** Status that the package gets; undefined to leave it. */
  readonly status?: 'default' | 'hidden' | undefined;
  /** What the format keeps of the package; undefined to leave it. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** What the format keeps of the file. */
  readonly fileMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** The refusal where the package is there already; undefined to add the file to it. */
  readonly refusePackage?: (() => AppError) | undefined;
  /** The refusal where the package has a file with this name; undefined to add another one, which is served from then on. */
  readonly refuseFile?: (() => AppError) | undefined;
}

/** A file that was published. */
export interface Published extends ReceivedContent {
  readonly packageId: number;
  readonly fileId: number;
  readonly createdAt: Date;
}

/** A fact that is appended to the outbox with the change (D6). */
export type PublishedFact = (
  tx: Tx,
  published: Published & { readonly publication: Publication; readonly created: boolean },
) => Promise<void>;

/** Publishes files: the content streams into the blob store; row, use and event are one transaction. */
export interface Publishing {
  /**
   * Fails with the refusals of the publication, with `too_large` beyond `limit` bytes, and with `unavailable`; then
   * nothing is kept.
   */
  publishFile(publication: Publication, content: Content, limit: number): Promise<Published>;
  /** The same with a content that was received already, and that is discarded by its receiver when this fails. */
  publishReceived(publication: Publication, received: ReceivedContent): Promise<Published>;
}

/** Builds the publishing of files. */
export function publishFile(edges: {
  readonly db: Database;
  readonly packages: PackageStore;
  readonly contents: Contents;
  readonly record: PublishedFact;
}): Publishing {
  const { db, packages, contents, record } = edges;

  async function publishReceived(publication: Publication, received: ReceivedContent): Promise<Published> {
    const { key, fileName, publisher, status, metadata, fileMetadata = {}, refusePackage, refuseFile } = publication;
    const published = await db.transaction(async (tx) => {
      const creatorId = publisher.userId || undefined;
      const { id: packageId, created } = await packages.open(tx, key, { creatorId, status, metadata });
      if (!created && refusePackage !== undefined) throw refusePackage();
      if (!created && refuseFile !== undefined && (await packages.hasFile(tx, packageId, fileName))) throw refuseFile();
      const contentId = await contents.keep(tx, received);
      if (contentId === undefined) throw unavailable(new Error('the blob was pruned before its row was written'));
      const { pipelineId } = publisher;
      const added = await packages.addFile(tx, { packageId, contentId, fileName, metadata: fileMetadata, pipelineId });
      const one = { ...received, packageId, fileId: added.id, createdAt: added.createdAt };
      await record(tx, { ...one, publication, created });
      faultPoint('package.file_written');
      return one;
    });
    faultPoint('package.file_committed');
    return published;
  }

  return {
    publishReceived,
    publishFile: (publication, content, limit) =>
      contents.receive(content, limit, (received) => publishReceived(publication, received)),
  };
}
