import { RepositoryExportServiceService } from '@switchyard/protos/merge_requests/v1/repository_export';
import { UploadTransferServiceService } from '@switchyard/protos/packages/v1/upload_transfer';
import type { Peer } from '@switchyard/rpc';
import { uploadsOf } from '@switchyard/service';
import type { ProjectSources } from '../application/exports.ports';
import type { RecordOwner } from '../domain/project-export';
import { recordsByOwner } from './records.client';

/** Milliseconds for a page of records: it may have to be read from disk. */
const pageTimeoutMs = 60_000;

/** Milliseconds for a repository, as long as git may take. */
const bundleTimeoutMs = 1_800_000;

/** Milliseconds for all files that texts link to. */
const uploadsTimeoutMs = 7_200_000;

/** Asks the services for what a project consists of. */
export function projectSourcesOf(peer: (name: RecordOwner | 'packages') => Peer): ProjectSources {
  const owners = recordsByOwner(peer);
  const repositories = peer('merge-requests').client(RepositoryExportServiceService);
  const transfers = peer('packages').client(UploadTransferServiceService);
  return {
    records: (owner, kind, projectId, after, requestId) =>
      owners[owner].readProjectRecords(
        { projectId, kind, after },
        { requestId, idempotent: true, timeoutMs: pageTimeoutMs },
      ),
    async *bundle(kind, projectId, requestId) {
      const bundle = kind === 'wiki' ? repositories.bundleWiki : repositories.bundleRepository;
      for await (const { data } of bundle({ projectId }, { requestId, timeoutMs: bundleTimeoutMs })) yield data;
    },
    uploads: (projectId, requestId) =>
      uploadsOf(transfers.readProjectUploads({ projectId }, { requestId, timeoutMs: uploadsTimeoutMs })),
  };
}
