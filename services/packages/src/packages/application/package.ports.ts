import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import type {
  NewPackageFile,
  OpenedPackage,
  OpenedWith,
  Package,
  PackageFile,
  PackageFileKey,
  PackageFilter,
  PackageKey,
  PackageVersion,
} from '../domain/package';
import type { PackageSearcher } from '../domain/package-place';
import type { ShownPipeline } from '../domain/shown-pipeline';

/** Packages and their files as rows. */
export interface PackageStore {
  /**
   * The package of a key, which is made when it is not there, and is locked until the transaction ends. A status or
   * metadata that are given are set.
   */
  open(tx: Tx, key: PackageKey, given: OpenedWith): Promise<OpenedPackage>;
  /**
   * Sets status and metadata of a package that is shown, and counts as a change of it; false when there is none.
   */
  describe(
    tx: Tx,
    key: PackageKey,
    given: { readonly status: 'default' | 'deprecated'; readonly metadata: Readonly<Record<string, unknown>> },
  ): Promise<boolean>;
  /** Whether a package has a file with a name. */
  hasFile(tx: Tx, packageId: number, fileName: string): Promise<boolean>;
  /** Adds a file. */
  addFile(tx: Tx, file: NewPackageFile): Promise<{ id: number; createdAt: Date }>;
  /** The newest files with a name of a package that is served, up to `limit`. */
  findFiles(key: PackageKey, fileName: string, limit: number): Promise<PackageFile[]>;
  /** The newest file with a name of a package that is served; undefined when there is none. */
  findFile(key: PackageKey, fileName: string): Promise<PackageFile | undefined>;
  /** A file of a package by its id, where the package is shown; undefined when there is none. */
  findFileById(projectId: number, packageId: number, fileId: number): Promise<PackageFile | undefined>;
  /** Records that files of packages are downloaded, at most once a minute for each package. */
  recordDownloads(packageIds: readonly number[]): Promise<void>;
  /** One package that is shown, with its other versions; undefined when there is none. */
  find(projectId: number, id: number): Promise<{ found: Package; versions: PackageVersion[] } | undefined>;
  /** Whether a package is there that may be listed, whatever its status. */
  exists(projectId: number, id: number): Promise<boolean>;
  /** One page of the packages of a project. */
  pageOfProject(
    projectId: number,
    filter: PackageFilter,
    request: PageRequest,
  ): Promise<{ rows: Package[]; page: PageInfo }>;
  /** One page of the packages of a group that a searcher may read. */
  pageOfGroup(
    group: { readonly id: number; readonly excludeSubgroups: boolean },
    searcher: PackageSearcher,
    filter: PackageFilter,
    request: PageRequest,
  ): Promise<{ rows: Package[]; page: PageInfo }>;
  /** One page of the ids of the pipelines of a package. */
  pageOfPipelines(packageId: number, request: PageRequest): Promise<{ rows: number[]; page: PageInfo }>;
  /** One page of the files of a package. */
  pageOfFiles(packageId: number, request: PageRequest): Promise<{ rows: PackageFile[]; page: PageInfo }>;
  /**
   * Marks a package for destruction; undefined when there is none. Fails with `precondition_failed` when it changed after
   * `since`.
   */
  markForDestruction(
    tx: Tx,
    projectId: number,
    id: number,
    since: Date | undefined,
  ): Promise<Omit<PackageKey, 'projectId'> | undefined>;
  /**
   * Deletes a file; undefined when there is none, else what its package is. Fails with `precondition_failed` when its
   * package changed after `since`.
   */
  deleteFile(tx: Tx, file: PackageFileKey, since: Date | undefined): Promise<Omit<PackageKey, 'projectId'> | undefined>;
  /** Deletes up to `limit` packages that are marked for destruction, with their files. Returns how many. */
  destroy(limit: number): Promise<number>;
}

/** Who reads pipelines. */
export interface PipelineViewer {
  readonly actor: Actor;
  readonly requestId: string;
}

/**
 * Those pipelines that exist, in any order; merge-requests owns them. Of a project, fails with `forbidden` for who may
 * not read them; of several (`projectId` is undefined), what they may not read is left out. Fails with `unavailable`.
 */
export type ReadPipelines = (
  projectId: number | undefined,
  ids: readonly number[],
  viewer: PipelineViewer,
) => Promise<ShownPipeline[]>;
