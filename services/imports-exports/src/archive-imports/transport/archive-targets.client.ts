import { RepositoryImportServiceService } from '@switchyard/protos/merge_requests/v1/repository_import';
import { UploadTransferServiceService } from '@switchyard/protos/packages/v1/upload_transfer';
import type { Peer } from '@switchyard/rpc';
import { archiveSource } from '@switchyard/service';
import { type RecordOwner, recordsByOwner } from '../../project-exports';
import { type ImportedProject, importedProjectsOf } from '../../project-imports';
import type { ArchiveTargets } from '../application/imports.ports';

/** Milliseconds for a page of records, some of which are written in transactions of their own. */
const pageMs = 120_000;

/** Milliseconds for a repository, and for all files that texts link to. */
const bytesMs = 7_200_000;

/** Where records are looked at alone. */
const noProject: Pick<ImportedProject, 'projectId' | 'directorySequence'> = { projectId: 0, directorySequence: 0 };

/** Asks the services that own what comes in. */
export function archiveTargetsOf(peer: (name: RecordOwner | 'packages') => Peer): ArchiveTargets {
  const projects = importedProjectsOf(peer('groups-admin'));
  const repositories = peer('merge-requests').client(RepositoryImportServiceService);
  const transfers = peer('packages').client(UploadTransferServiceService);
  const owners = recordsByOwner(peer);
  const options = (requestId: string) => ({ requestId, idempotent: true });
  const ofPage = (requestId: string) => ({ ...options(requestId), timeoutMs: pageMs });
  return {
    createProject({ key, author, address, namespace, name, path, requestId }) {
      // Private until its settings come, at the end.
      const request = { key, namespace, name, path, private: true, importType: archiveSource };
      const empty = { description: '', defaultBranch: '', importSource: '' };
      return projects.create({ ...request, ...empty, address }, author, requestId);
    },
    project: projects.project,
    setStatus: projects.setStatus,
    async checkRecords(owner, kind, lines, { project: { projectId, directorySequence } = noProject, requestId }) {
      const request = {
        projectId,
        kind,
        lines,
        importerId: 0,
        forEverybody: false,
        checkOnly: true,
        standIns: undefined,
      };
      await owners[owner].writeProjectRecords(request, { ...ofPage(requestId), directorySequence });
    },
    async writeRecords(owner, kind, lines, { project: { projectId, directorySequence }, import: one }, given) {
      const { userId: importerId, admin: forEverybody } = one.author;
      const people = [...(given ?? [])].map(([username, userId]) => ({ username, userId }));
      const standIns = { people, areAll: given !== undefined };
      const { unknown, leftOut } = await owners[owner].writeProjectRecords(
        { projectId, kind, lines, importerId, forEverybody, checkOnly: false, standIns },
        { ...ofPage(one.requestId), directorySequence },
      );
      return { unknown, leftOut };
    },
    async importRepository({ project: { projectId, directorySequence }, import: { key, author, requestId } }, signal) {
      const call = { requestId, directorySequence, signal, timeoutMs: bytesMs };
      await repositories.importBundle({ projectId, actorId: author.userId, importKey: key }, call);
      await repositories.importWikiBundle({ projectId, importKey: key }, call);
    },
    async importUploads({ project: { projectId, directorySequence }, import: one }, signal) {
      const { key: importKey, requestId } = one;
      const { userId: importerId, admin: forEverybody } = one.author;
      const { leftOut } = await transfers.importArchiveUploads(
        { projectId, importKey, importerId, forEverybody },
        { requestId, directorySequence, signal, timeoutMs: bytesMs },
      );
      return leftOut;
    },
  };
}
