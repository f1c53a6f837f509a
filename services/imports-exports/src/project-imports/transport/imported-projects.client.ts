import {
  type CreateImportedProjectRequest,
  ImportedProjectServiceService,
  type ImportedProject as WireProject,
} from '@switchyard/protos/groups_admin/v1/imported_project';
import type { Peer } from '@switchyard/rpc';
import type { ImportAuthor } from '../domain/project-import';
import type { ImportedProject } from '../domain/shown-import';

const toProject = ({ createdAt = new Date(0), ...project }: WireProject): ImportedProject => ({
  ...project,
  createdAt,
});

/** Asks groups-admin for the projects of imports. Each call may be repeated. */
export function importedProjectsOf(groupsAdmin: Peer) {
  const client = groupsAdmin.client(ImportedProjectServiceService);
  const options = (requestId: string) => ({ requestId, idempotent: true });
  return {
    /** Fails with `not_found`, `forbidden` for the namespace; `invalid` with texts by field. */
    async create(
      request: CreateImportedProjectRequest,
      author: ImportAuthor,
      requestId: string,
    ): Promise<ImportedProject> {
      const actor = { ...author, username: '', scopes: [], tokenId: 0 };
      return toProject(await client.createImportedProject(request, { ...options(requestId), actor }));
    },
    /** Fails with `not_found`. */
    project: async (projectId: number, requestId: string): Promise<ImportedProject> =>
      toProject(await client.getImportedProject({ projectId }, options(requestId))),
    /** Shows in a project how its import stands. Fails with `not_found`. */
    async setStatus(projectId: number, status: string, problem: string | undefined, requestId: string): Promise<void> {
      await client.setImportStatus({ projectId, status, error: problem ?? '' }, options(requestId));
    },
  };
}
