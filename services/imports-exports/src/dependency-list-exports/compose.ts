import { blobRemains } from '@switchyard/blobs';
import { followKeyFile } from '@switchyard/secrets';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { workers } from '../leases';
import { readInThread } from '../lock-files';
import type { Reports } from '../reports';
import { manageExports } from './application/manage-exports';
import { planExport } from './application/plan-export';
import { readSource } from './application/read-source';
import { followingSigner } from './application/sign';
import { sweepExports, type WorkingEdges, workExports } from './application/work-exports';
import { writeExport } from './application/write-export';
import { downloadUrlOf } from './presenters/dependency-list-export.presenter';
import { recordEnd } from './storage/export.events';
import { exportStore } from './storage/export.store';
import { exportWorkStore } from './storage/export-work.store';
import { dependencyListExportHandler } from './transport/dependency-list-export.handler';
import { dependencyListExportHttp } from './transport/dependency-list-export.http';
import { pipelineSourcesOf } from './transport/pipeline-sources.client';

const keyVariable = 'SWITCHYARD_EXPORT_SIGNING_KEY_FILE';

/** Exports that a process makes at a time: a large one holds nobody else's up. */
const atOnce = 2;

/** Version that exports name; the same input gives other bytes with another one. */
const toolVersion = '1';

/** Builds exports of dependency lists. */
export function composeDependencyListExports(
  { db, blobs, config, peer, observe }: Edges,
  { reports }: { readonly reports: Reports },
): Area {
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  const remains = blobRemains(db);
  const work = exportWorkStore(db, remains);
  const pipelines = pipelineSourcesOf(peer('merge-requests'));
  const signer = followingSigner(followKeyFile(keyVariable, config[keyVariable]));
  const working = workers(atOnce);
  const exports = observe(
    'dependency_list_exports',
    manageExports({ exports: exportStore(db), sources: pipelines, workSoon: working.soon }),
  );
  const email = `noreply@${new URL(externalUrl).hostname}`;
  return {
    services: [dependencyListExportHandler(exports, signer, externalUrl)],
    http: dependencyListExportHttp(exports, blobs),
    start: () => {
      const edges: WorkingEdges = {
        work,
        plan: planExport({ work, reports, pipelines }),
        read: readSource({ work, reports, pipelines, readLockFile: readInThread() }),
        write: writeExport({ work, blobs, remains, signer, toolVersion, email }),
        publish: (tx, ended) => recordEnd(tx, ended, downloadUrlOf(ended.id, externalUrl)),
        pruneSoon: reports.pruneSoon,
      };
      return [...working.start(() => workExports(edges)), sweepExports(edges)];
    },
  };
}
