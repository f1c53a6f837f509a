import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { ImageLink, MetricImage, StoredImage } from '../domain/metric-image';

/** Images of alerts as rows, and the blobs that none of them names. */
export interface MetricImageStore {
  /** Id of an alert by its number; undefined when the project has none. */
  alertId(projectId: number, iid: number): Promise<number | undefined>;
  /** One page of an alert's images, oldest first. */
  page(alertId: number, request: PageRequest): Promise<{ rows: MetricImage[]; page: PageInfo }>;
  /** One image of an alert, and where its content lies. */
  find(alertId: number, id: number): Promise<(MetricImage & StoredImage) | undefined>;
  /** Notes a blob that is about to be written, so that it goes in an hour should no image come to name it. */
  expect(blob: string): Promise<void>;
  /** Makes a blob that was expected the content of an image; undefined when the alert, or the expectation, has gone. */
  attach(tx: Tx, alertId: number, image: StoredImage & ImageLink): Promise<MetricImage | undefined>;
  /** Lets a blob go that was expected and is not wanted. */
  giveUp(blob: string): Promise<void>;
  /** Sets what is given; undefined when there is no such image. */
  update(alertId: number, id: number, link: Partial<ImageLink>): Promise<MetricImage | undefined>;
  /** Deletes an image, which leaves its blob to `takeRemains`. False when there is none. */
  remove(tx: Tx, alertId: number, id: number): Promise<boolean>;
  /** Blobs that are due, at most `limit`, locked until the transaction ends: no other process takes them meanwhile. */
  takeRemains(tx: Tx, limit: number): Promise<string[]>;
  /** Forgets blobs that have been removed, and comes back in ten minutes to those that could not be. */
  settleRemains(tx: Tx, removed: readonly string[], stuck: readonly string[]): Promise<void>;
}
