import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Viewer } from '../../directory';
import type { NewKey } from '../domain/ssh-key';
import type { DeployKeyRow, EnabledProjectRow } from '../domain/ssh-key-row';

/** Deploy keys in the database. */
export interface DeployKeyStore {
  /** A page of the deploy keys of a project, by id. */
  listOfProject(projectId: number, request: PageRequest): Promise<{ rows: DeployKeyRow[]; page: PageInfo }>;
  /** A page of all deploy keys, or of the public ones, by id. */
  listAll(publicOnly: boolean, request: PageRequest): Promise<{ rows: DeployKeyRow[]; page: PageInfo }>;
  /** Projects that have enabled these keys, by key; at most 100 of each. */
  projectsOf(keyIds: readonly number[]): Promise<EnabledProjectRow[]>;
  /** One deploy key of a project. */
  find(projectId: number, keyId: number): Promise<DeployKeyRow | undefined>;
  /** A public deploy key. */
  findPublic(keyId: number): Promise<DeployKeyRow | undefined>;
  /**
   * Adds a key, in a project or for all (undefined). A deploy key with the same material is enabled in the project when
   * the actor may enable it. Returns its id; undefined when the project was purged.
   * @throws AppError invalid for a key that exists
   */
  create(
    actor: Viewer,
    key: NewKey,
    within: { readonly projectId: number; readonly canPush: boolean } | undefined,
  ): Promise<number | undefined>;
  /** Changes title and right to push; false when the project has no such key. */
  update(
    projectId: number,
    keyId: number,
    change: { readonly title: string | undefined; readonly canPush: boolean | undefined },
  ): Promise<boolean>;
  /** Enables in a project a key that the actor may enable; false when there is none. */
  enable(actor: Viewer, projectId: number, keyId: number): Promise<boolean>;
  /**
   * Takes a key from a project; one that is not public goes with its last project. False when the project has no such
   * key. @throws AppError precondition_failed
   */
  remove(projectId: number, keyId: number, unmodifiedSince?: Date): Promise<boolean>;
}
