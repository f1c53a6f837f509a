import { notFound } from '@switchyard/errors';
import { ProjectImportServiceService } from '@switchyard/protos/imports_exports/v1/project_import';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { type CallContext, entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import type { Imports } from '../application/manage-imports';
import { presentCanceled, presentImport, presentStarted } from '../presenters/project-import.presenter';

/** The project that a request names, which must be what was resolved and signed. */
function projectOf({ projectId }: { projectId: number }, { access }: CallContext): number {
  if (access?.id !== projectId || access.kind !== Access_Kind.KIND_PROJECT) throw notFound('Project');
  return projectId;
}

/** Serves `ProjectImportService`. */
export const projectImportHandler = (imports: Imports): ServiceImplementation =>
  implement(ProjectImportServiceService, {
    async startForgeaImport(request, { actor, requestId }) {
      const { userId, admin, external } = actor;
      const made = await imports.start({
        author: { userId, admin, external },
        requestId,
        token: request.personalAccessToken,
        repositoryId: request.repoId,
        name: request.newName === '' ? undefined : request.newName,
        namespace: request.targetNamespace,
        host: request.hostname,
        optimistic: request.timeoutStrategy === 'optimistic',
        pageSize: request.paginationLimit,
      });
      return entity(presentStarted(made));
    },

    cancelForgeaImport: async (request, context) =>
      entity(presentCanceled(await imports.cancel(projectOf(request, context), context.requestId))),

    getProjectImport: async (request, context) =>
      entity(presentImport(await imports.get(projectOf(request, context), context.requestId))),
  });
