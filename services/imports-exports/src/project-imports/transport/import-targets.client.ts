import { IssueImportServiceService } from '@switchyard/protos/collaboration/v1/issue_import';
import { ImportNotesRequest, NoteImportServiceService } from '@switchyard/protos/collaboration/v1/note_import';
import {
  ImportedProjectServiceService,
  type ImportedProject as WireProject,
} from '@switchyard/protos/groups_admin/v1/imported_project';
import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { MilestoneServiceService } from '@switchyard/protos/groups_admin/v1/milestone';
import { RepositoryImportServiceService } from '@switchyard/protos/merge_requests/v1/repository_import';
import type { Peer } from '@switchyard/rpc';
import type { ImportTargets } from '../application/imports.ports';
import type { ImportedProject } from '../domain/shown-import';

/** Milliseconds for a repository: two thirds of an hour for what git does, which has half of this to its first write. */
const repositoryMs = 7_200_000;

/** Milliseconds for a page of issues, each in a transaction of its own. */
const pageMs = 60_000;

const toProject = ({ createdAt = new Date(0), ...project }: WireProject): ImportedProject => ({
  ...project,
  createdAt,
});

/** Asks the services that own what comes over. */
export function importTargetsOf({
  groupsAdmin,
  mergeRequests,
  collaboration,
}: Readonly<Record<'groupsAdmin' | 'mergeRequests' | 'collaboration', Peer>>): ImportTargets {
  const projects = groupsAdmin.client(ImportedProjectServiceService);
  const labels = groupsAdmin.client(LabelServiceService);
  const milestones = groupsAdmin.client(MilestoneServiceService);
  const issues = collaboration.client(IssueImportServiceService);
  const notes = collaboration.client(NoteImportServiceService);
  const repositories = mergeRequests.client(RepositoryImportServiceService);
  const options = (requestId: string) => ({ requestId, idempotent: true });
  return {
    async createProject({ author, repository, ...one }, requestId) {
      const request = {
        key: one.key,
        namespace: one.namespace,
        name: one.name,
        description: repository.description,
        private: repository.isPrivate,
        defaultBranch: repository.defaultBranch,
        importType: one.forge,
        importSource: repository.fullName,
      };
      const actor = { ...author, username: '', scopes: [], tokenId: 0 };
      return toProject(await projects.createImportedProject(request, { ...options(requestId), actor }));
    },
    project: async (projectId, requestId) =>
      toProject(await projects.getImportedProject({ projectId }, options(requestId))),
    async setStatus(projectId, status, problem, requestId) {
      await projects.setImportStatus({ projectId, status, error: problem ?? '' }, options(requestId));
    },
    async importRepository({ project, author }, source, { requestId, signal }) {
      const { projectId, directorySequence } = project;
      await repositories.importRepository(
        { projectId, actorId: author.userId, headsPattern: '', ...source },
        { requestId, directorySequence, signal, timeoutMs: repositoryMs },
      );
    },
    async importLabels(projectId, given, requestId) {
      return (await labels.importLabels({ projectId, labels: [...given] }, options(requestId))).imported;
    },
    async importIssues({ projectId, importType: importedFrom, directorySequence }, given, requestId) {
      const request = {
        projectId,
        importedFrom,
        issues: given.map((one) => ({ ...one, labels: [...one.labels], assigneeIds: [...one.assigneeIds] })),
      };
      return (await issues.importIssues(request, { ...options(requestId), directorySequence, timeoutMs: pageMs }))
        .imported;
    },
    async importNotes({ projectId, importType: importedFrom, directorySequence }, given, requestId) {
      const request = ImportNotesRequest.fromPartial({
        projectId,
        importedFrom,
        notes: given.map(({ foreignId, issueIid, ...note }) => ({
          ...note,
          key: String(foreignId),
          noteableType: 'Issue',
          noteableIid: issueIid,
        })),
      });
      return (await notes.importNotes(request, { ...options(requestId), directorySequence, timeoutMs: pageMs }))
        .imported;
    },
    async importMilestones(projectId, given, requestId) {
      return (await milestones.importMilestones({ projectId, milestones: [...given] }, options(requestId))).imported;
    },
  };
}
