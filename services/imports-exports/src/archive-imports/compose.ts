import { blobRemains } from '@switchyard/blobs';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { workers } from '../leases';
import type { PlaceholdersArea } from '../placeholders';
import { mayImport } from '../project-imports';
import type { Reports } from '../reports';
import { type ArchiveImports, startArchiveImports } from './application/start-import';
import { sweepArchiveImports, workArchiveImports } from './application/work-imports';
import { archiveImportStore } from './storage/archive-import.store';
import { archiveBundleHandler } from './transport/archive-bundle.handler';
import { archiveImportHttp } from './transport/archive-import.http';
import { archiveTargetsOf } from './transport/archive-targets.client';

/** Imports that a process works on at a time: a large one holds nobody else's up. */
const atOnce = 3;

/** Imports of archives, and what ends them from outside. */
export interface ArchiveImportArea extends Area {
  readonly cancel: ArchiveImports['cancel'];
  readonly failures: ReturnType<typeof archiveImportStore>['failures'];
}

/** Builds imports of projects from archives. */
export function composeArchiveImports(
  { db, blobs, config, peer, observe, directory }: Edges,
  { pruneSoon, standInsOf }: Pick<Reports, 'pruneSoon'> & Pick<PlaceholdersArea, 'standInsOf'>,
): ArchiveImportArea {
  const remains = blobRemains(db);
  const imports = archiveImportStore(db, remains);
  const targets = archiveTargetsOf(peer);
  const limit = config.SWITCHYARD_PROJECT_IMPORT_LIMIT;
  const working = workers(atOnce);
  const starting = observe(
    'archive_imports',
    startArchiveImports({ imports, targets, blobs, remains, pruneSoon, workSoon: working.soon, limit }),
  );
  return {
    services: [archiveBundleHandler(imports, { blobs })],
    http: archiveImportHttp(starting, limit),
    cancel: starting.cancel,
    failures: imports.failures,
    start: () => {
      const edges = { imports, targets, mayImport: mayImport(db, directory), standInsOf, blobs, pruneSoon };
      return [...working.start(() => workArchiveImports(edges)), sweepArchiveImports(imports)];
    },
  };
}
