import { blobRemains } from '@switchyard/blobs';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { workers } from '../leases';
import type { Reports } from '../reports';
import type { FindProject } from './application/exports.ports';
import { manageExports } from './application/manage-exports';
import { sweepExports, workExports } from './application/work-exports';
import { writeArchive } from './application/write-archive';
import { exportedProjectStore } from './storage/exported-project.store';
import { projectExportStore } from './storage/project-export.store';
import { projectExportHandler } from './transport/project-export.handler';
import { projectExportHttp } from './transport/project-export.http';
import { projectSourcesOf } from './transport/project-sources.client';

/** Exports that a process makes at a time: a large one holds nobody else's up. */
const atOnce = 2;

/** Builds exports of projects. */
export function composeProjectExports(
  { db, blobs, config, peer, observe }: Edges,
  { pruneSoon }: Pick<Reports, 'pruneSoon'>,
): Area {
  const remains = blobRemains(db);
  const store = projectExportStore(db, remains);
  const sources = projectSourcesOf(peer);
  const known = exportedProjectStore(db);
  const findProject: FindProject = async (projectId, requestId) => {
    const found = await known(projectId);
    const { lines, count } = await sources.records('groups-admin', 'project', projectId, 0, requestId);
    if (found === undefined || count === 0) return undefined;
    const { description, created_at: createdAt } = JSON.parse(Buffer.from(lines).toString());
    return { ...found, description, createdAt: new Date(createdAt) };
  };
  const working = workers(atOnce);
  const exports = observe('project_exports', manageExports({ exports: store, findProject, workSoon: working.soon }));
  return {
    services: [projectExportHandler(exports, config.SWITCHYARD_EXTERNAL_URL)],
    http: projectExportHttp(exports, blobs),
    start: () => {
      const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
      const write = writeArchive({ sources, findProject, blobs, remains, externalUrl });
      return [...working.start(() => workExports(store, write, pruneSoon)), sweepExports(store, pruneSoon)];
    },
  };
}
