import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { ArchivedUpload, ListedUpload, NewUpload, StoredUpload, Upload, UploadPlace } from '../domain/upload';

/** Uploads as rows. */
export interface UploadStore {
  /** One page of the uploads of a project, the newest first. */
  page(projectId: number, request: PageRequest): Promise<{ rows: ListedUpload[]; page: PageInfo }>;
  /** The next uploads of a project after an id, by their ids. */
  after(projectId: number, id: number, limit: number): Promise<ArchivedUpload[]>;
  /** Adds an upload whose content the transaction keeps, or gives that of its source or secret, which may have come meanwhile. */
  add(tx: Tx, upload: NewUpload, content: { readonly id: number; readonly size: number }): Promise<Upload>;
  /** One of a project by its id. */
  find(projectId: number, id: number): Promise<StoredUpload | undefined>;
  /** The one that was imported from a source. */
  findSource(projectId: number, source: string): Promise<Upload | undefined>;
  /** Names of the uploads of a project with some secrets, by these. */
  namesOf(projectId: number, secrets: readonly string[]): Promise<Map<string, string>>;
  /** One by its place. */
  findAt(place: UploadPlace): Promise<StoredUpload | undefined>;
  /** Deletes one of a project; false when there is none. */
  remove(tx: Tx, projectId: number, id: number): Promise<boolean>;
  /** Deletes the one at a place; false when there is none. */
  removeAt(tx: Tx, place: UploadPlace): Promise<boolean>;
}
