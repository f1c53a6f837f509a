import type { Repeating } from '@switchyard/background';
import type { Tx } from '@switchyard/database';
import { isAppError } from '@switchyard/errors';
import type { Area } from '@switchyard/service';
import type { Contents } from '../contents';
import type { DuplicatesArea } from '../duplicates';
import type { Edges } from '../edges';
import type { Protection } from '../protection';
import { destroyPackages } from './application/destroy-packages';
import { managePackages, type Packages, removePackage } from './application/manage-packages';
import type { PackageStore } from './application/package.ports';
import type { PackagePlaces } from './application/package-places';
import { type Publishing, publishFile } from './application/publish-file';
import { purgePackages } from './application/purge-packages';
import { downloadRecorder } from './application/record-downloads';
import type { Remover } from './domain/publication';
import { recordDeletion, recordPublication } from './storage/package.events';
import { packagePlaces } from './storage/package.places';
import { packageStore } from './storage/package.store';
import { packageMeasurements } from './storage/package-measurement.store';
import { packagePurge } from './storage/package-purge.store';
import { packageHandler } from './transport/package.handler';
import { packageFileHttp } from './transport/package-file.http';
import { pipelinesOf } from './transport/pipelines.client';

/** What formats use of packages. */
export interface PackagesArea
  extends Area,
    Publishing,
    PackagePlaces,
    Pick<PackageStore, 'findFile' | 'findFiles'>,
    Pick<Packages, 'remove' | 'describe'> {
  /** Whether protection rules let someone with a level delete a package, for a job. */
  mayRemove(
    tx: Tx,
    projectId: number,
    named: { readonly format: string; readonly name: string },
    level: number,
  ): Promise<boolean>;
  /** Deletes a package for a job, as someone with a level could; false where a protection rule forbids it. */
  removePackage(
    tx: Tx,
    projectId: number,
    one: { readonly id: number; readonly format: string; readonly name: string },
    level: number,
  ): Promise<boolean>;
  /** Deletes a package within a transaction, after which `destroySoon` is called. Fails as `remove`. */
  removeWithin(tx: Tx, projectId: number, id: number, by: Remover): Promise<void>;
  /** Has the packages and uploads of a project measured soon, within the transaction of a change. */
  measureSoon(tx: Tx, projectId: number): Promise<unknown>;
  /** Begins to record that a file of a package is downloaded, at most once a minute for each package. */
  recordDownload(packageId: number): void;
  /** Starts the removal of what was deleted. */
  destroySoon(): void;
}

/** Builds packages of every format. */
export function composePackages(
  { db, blobs, config, observe, peer, directory }: Edges,
  {
    contents,
    protection,
    duplicates,
  }: { readonly contents: Contents; readonly protection: Protection; readonly duplicates: DuplicatesArea },
): PackagesArea {
  const store = packageStore(db);
  const downloads = downloadRecorder(store);
  let destroying: Repeating | undefined;
  const { requireUnprotected } = protection;
  const { refuseDuplicate } = duplicates;
  const edges = {
    db,
    requireUnprotected,
    packages: store,
    recordDeletion,
    readPipelines: pipelinesOf(peer('merge-requests'), directory.sequence),
    destroySoon: () => destroying?.soon(),
  };
  const packages = observe('packages', managePackages(edges));
  const removeWithin = removePackage(edges);
  const mayRemove: PackagesArea['mayRemove'] = (tx, projectId, { format, name }, level) =>
    requireUnprotected(tx, 'delete', { projectId, format, name }, level).then(
      () => true,
      (error) => {
        if (isAppError(error, 'forbidden')) return false;
        throw error;
      },
    );
  return {
    ...publishFile({ db, packages: store, contents, requireUnprotected, refuseDuplicate, record: recordPublication }),
    ...packagePlaces(db),
    findFile: store.findFile,
    findFiles: store.findFiles,
    recordDownload: downloads.record,
    mayRemove,
    async removePackage(tx, projectId, expired, level) {
      // Before it is marked: the transaction goes on without it.
      const isAllowed = await mayRemove(tx, projectId, expired, level);
      if (isAllowed) await removeWithin(tx, projectId, expired.id, { userId: 0, level });
      return isAllowed;
    },
    removeWithin,
    measureSoon: packageMeasurements.measureSoon,
    destroySoon: edges.destroySoon,
    remove: packages.remove,
    describe: packages.describe,
    services: [packageHandler(packages, config.SWITCHYARD_EXTERNAL_URL)],
    http: packageFileHttp(packages, downloads.record, blobs),
    start: () => {
      destroying = destroyPackages(store, contents.collectSoon);
      return [
        destroying,
        downloads,
        packageMeasurements.measure(db),
        purgePackages(packagePurge(db), contents.collectSoon),
      ];
    },
  };
}
