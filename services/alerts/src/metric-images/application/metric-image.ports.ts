import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { ImageLink, MetricImage, StoredImage } from '../domain/metric-image';

/** Stores images of alerts. */
export interface MetricImageStore {
  /** Id of an alert by its number; undefined when the project has none. */
  alertId(projectId: number, iid: number): Promise<number | undefined>;
  /** One page of an alert's images, oldest first. */
  page(alertId: number, request: PageRequest): Promise<{ rows: MetricImage[]; page: PageInfo }>;
  /** One image of an alert, with the key of its content. */
  find(alertId: number, id: number): Promise<(MetricImage & StoredImage) | undefined>;
  /**
   * Makes an expected blob the content of an image; undefined when the alert, or the record of the blob, no longer
   * exists.
   */
  attach(tx: Tx, alertId: number, image: StoredImage & ImageLink): Promise<MetricImage | undefined>;
  /** Sets the given parts; undefined when there is no such image. */
  update(alertId: number, id: number, link: Partial<ImageLink>): Promise<MetricImage | undefined>;
  /** Deletes an image; its blob becomes unused. False when there is none. */
  remove(tx: Tx, alertId: number, id: number): Promise<boolean>;
}
