import type { Database, PageInfo, PageRequest, Tx } from '@switchyard/database';
import { AppError, isAppError, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { RequireUnprotected } from '../../protection';
import type {
  Package,
  PackageFile,
  PackageFileKey,
  PackageFilter,
  PackageKey,
  PackageVersion,
} from '../domain/package';
import type { PackageSearcher } from '../domain/package-place';
import type { DeletedPackage, Remover } from '../domain/publication';
import type { ShownPipeline, ShownPipelines } from '../domain/shown-pipeline';
import type { PackageStore, PipelineViewer, ReadPipelines } from './package.ports';

faultPoints.push('package.deleted');

/** What managing packages works with. */
export interface PackageEdges {
  readonly db: Database;
  readonly packages: PackageStore;
  /** Appends the fact to the outbox (D6). */
  readonly recordDeletion: (tx: Tx, deleted: DeletedPackage) => Promise<void>;
  readonly readPipelines: ReadPipelines;
  readonly requireUnprotected: RequireUnprotected;
  /** Starts the removal of what was deleted. */
  readonly destroySoon: () => void;
}

const noPackage = () => new AppError('not_found', 'Package not found');

/**
 * Deletes a package within a transaction. Fails with `not_found`, `precondition_failed`, and `forbidden` where a rule
 * protects it.
 */
export const removePackage =
  ({
    packages,
    recordDeletion,
    requireUnprotected,
  }: Pick<PackageEdges, 'packages' | 'recordDeletion' | 'requireUnprotected'>) =>
  async (tx: Tx, projectId: number, id: number, by: Remover, unmodifiedSince?: Date): Promise<void> => {
    const key = await packages.markForDestruction(tx, projectId, id, unmodifiedSince);
    if (key === undefined) throw notFound();
    await requireUnprotected(tx, 'delete', { ...key, projectId }, by.level);
    await recordDeletion(tx, { ...key, projectId, id, actorId: by.userId });
    faultPoint('package.deleted');
  };

const lastPipelines = (rows: readonly Package[]) => rows.map(({ lastPipelineId }) => lastPipelineId);

const none: ShownPipelines = new Map();

/**
 * Pipelines that packages and files name, of those that a viewer may read. Without any where their owner is away: what
 * is beside a package does not cost its list (D3).
 */
async function pipelinesBeside(
  readPipelines: ReadPipelines,
  ids: readonly (number | undefined)[],
  viewer: PipelineViewer,
): Promise<ShownPipelines> {
  const wanted = [...new Set(ids.filter((id) => id !== undefined))];
  if (wanted.length === 0) return none;
  try {
    const found = await readPipelines(undefined, wanted, viewer);
    return new Map(found.map((one) => [one.id, one]));
  } catch (error) {
    if (isAppError(error, 'unavailable')) return none;
    throw error;
  }
}

/** A page with the pipelines that its rows name. */
interface PageWithPipelines<Row> {
  readonly rows: Row[];
  readonly page: PageInfo;
  readonly pipelines: ShownPipelines;
}

/** The use cases of packages of every format; the gateway has checked what the caller may do. */
export const managePackages = ({
  db,
  packages,
  recordDeletion,
  readPipelines,
  requireUnprotected,
  destroySoon,
}: PackageEdges) => ({
  /** Packages of a project. */
  async listOfProject(
    projectId: number,
    viewer: PipelineViewer,
    filter: PackageFilter,
    request: PageRequest,
  ): Promise<PageWithPipelines<Package>> {
    const found = await packages.pageOfProject(projectId, filter, request);
    return { ...found, pipelines: await pipelinesBeside(readPipelines, lastPipelines(found.rows), viewer) };
  },

  /** Packages of a group that the searcher may read. */
  async listOfGroup(
    group: { readonly id: number; readonly excludeSubgroups: boolean },
    searcher: PackageSearcher,
    viewer: PipelineViewer,
    filter: PackageFilter,
    request: PageRequest,
  ): Promise<PageWithPipelines<Package>> {
    const found = await packages.pageOfGroup(group, searcher, filter, request);
    return { ...found, pipelines: await pipelinesBeside(readPipelines, lastPipelines(found.rows), viewer) };
  },

  /** One package with its other versions. Fails with `not_found` (G-4.17-4). */
  async get(
    projectId: number,
    id: number,
    viewer: PipelineViewer,
  ): Promise<{ found: Package; versions: PackageVersion[]; pipelines: ShownPipelines }> {
    const one = await packages.find(projectId, id);
    if (one === undefined) throw noPackage();
    return { ...one, pipelines: await pipelinesBeside(readPipelines, [one.found.lastPipelineId], viewer) };
  },

  /** Files of a package. Fails with `not_found`. */
  async listFiles(
    projectId: number,
    id: number,
    viewer: PipelineViewer,
    request: PageRequest,
  ): Promise<PageWithPipelines<PackageFile>> {
    if (!(await packages.exists(projectId, id))) throw noPackage();
    const found = await packages.pageOfFiles(id, request);
    const ids = found.rows.map(({ pipelineId }) => pipelineId);
    return { ...found, pipelines: await pipelinesBeside(readPipelines, ids, viewer) };
  },

  /**
   * Pipelines that published a package, newest first; those that are gone are left out. Fails with `not_found`, and with
   * `forbidden` for who may not read pipelines (G-4.17-1).
   */
  async listPipelines(
    projectId: number,
    id: number,
    viewer: PipelineViewer,
    request: PageRequest,
  ): Promise<{ rows: ShownPipeline[]; page: PageInfo }> {
    if (!(await packages.exists(projectId, id))) throw noPackage();
    const { rows: ids, page } = await packages.pageOfPipelines(id, request);
    // Asked without any as well: the owner knows who may read pipelines.
    const found = new Map((await readPipelines(projectId, ids, viewer)).map((one) => [one.id, one]));
    return { rows: ids.flatMap((one) => found.get(one) ?? []), page };
  },

  /** A file by its id, where its package is shown. Fails with `not_found`. */
  async getFile(projectId: number, packageId: number, fileId: number): Promise<PackageFile> {
    const file = await packages.findFileById(projectId, packageId, fileId);
    if (file === undefined) throw notFound();
    return file;
  },

  /**
   * Sets status and metadata of a package that is shown. Fails with `not_found`, and with `forbidden` where a rule lets
   * only higher roles publish it.
   */
  describe: (key: PackageKey, given: Parameters<PackageStore['describe']>[2], level: number): Promise<void> =>
    db.transaction(async (tx) => {
      await requireUnprotected(tx, 'push', key, level);
      if (!(await packages.describe(tx, key, given))) throw noPackage();
    }),

  /** Deletes a package. Fails with `not_found`, `precondition_failed`, and `forbidden` where a rule protects it. */
  async remove(projectId: number, id: number, by: Remover, unmodifiedSince: Date | undefined): Promise<void> {
    await db.transaction(async (tx) => {
      await removePackage({ packages, recordDeletion, requireUnprotected })(tx, projectId, id, by, unmodifiedSince);
    });
    destroySoon();
  },

  /** Deletes a file of a package. Fails as `remove`. */
  async removeFile(file: PackageFileKey, by: Remover, unmodifiedSince: Date | undefined): Promise<void> {
    await db.transaction(async (tx) => {
      const key = await packages.deleteFile(tx, file, unmodifiedSince);
      if (key === undefined) throw notFound();
      await requireUnprotected(tx, 'delete', { ...key, projectId: file.projectId }, by.level);
    });
    destroySoon();
  },
});

/** What `managePackages` gives. */
export type Packages = ReturnType<typeof managePackages>;
