import { ProjectImportServiceService } from '@switchyard/protos/imports_exports/v1/project_import';
import type { Representation } from '@switchyard/protos/rpc/v1/representation';
import { levels } from '@switchyard/rights';
import { type CallContext, entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import { namedProject } from '../../placeholders';
import type { Imports, WantedImport } from '../application/manage-imports';
import {
  presentCanceled,
  presentImport,
  presentImportStatus,
  presentStarted,
} from '../presenters/project-import.presenter';

/** Items of a page where the caller says nothing of it. */
const pageSize = 100;

/** Whether the caller may import into the project (G-4.19-9). */
const mayImport = ({ actor, access }: CallContext): boolean => actor.admin || (access?.level ?? 0) >= levels.maintainer;

/** Serves `ProjectImportService`. */
export function projectImportHandler(imports: Imports): ServiceImplementation {
  async function start(
    { actor: { userId, admin, external }, requestId }: CallContext,
    { newName }: { readonly newName: string },
    wanted: Pick<WantedImport, 'forge' | 'host' | 'token' | 'repository' | 'namespace'> & Partial<WantedImport>,
  ): Promise<Representation> {
    const author = { userId, admin, external };
    const name = newName || undefined;
    return entity(
      presentStarted(
        await imports.start({
          ...{ author, requestId, name, optimistic: false, files: false, pageSize, optionalStages: [] },
          ...wanted,
        }),
      ),
    );
  }

  return implement(ProjectImportServiceService, {
    startForgeaImport: (request, context) =>
      start(context, request, {
        ...{ forge: 'github', host: request.hostname, token: request.personalAccessToken },
        repository: String(request.repoId),
        namespace: request.targetNamespace,
        optimistic: request.timeoutStrategy === 'optimistic',
        pageSize: request.paginationLimit,
        optionalStages: request.collaboratorsImport ? ['collaborators'] : [],
        files: request.attachmentsImport,
      }),

    startForgebImport: (request, context) =>
      start(context, request, {
        ...{ forge: 'bitbucket', host: '', token: `${request.username}:${request.password}` },
        repository: request.repoPath,
        namespace: request.targetNamespace,
        files: request.attachmentsImport,
      }),

    startForgebServerImport: (request, context) =>
      start(context, request, {
        ...{ forge: 'bitbucket_server', host: request.serverUrl },
        token: `${request.username}:${request.personalAccessToken}`,
        repository: `${request.project}/${request.repo}`,
        namespace: request.targetNamespace || context.actor.username,
        files: request.attachmentsImport,
        optimistic: request.timeoutStrategy === 'optimistic',
      }),

    refreshProjectImport: async ({ projectId, ...credentials }, context) => {
      const { actor, requestId } = context;
      const author = { userId: actor.userId, admin: actor.admin, external: actor.external };
      const project = namedProject({ projectId }, context);
      return entity(presentStarted(await imports.refresh(project, credentials, { author, requestId })));
    },

    cancelForgeaImport: async (request, context) =>
      entity(presentCanceled(await imports.cancel(namedProject(request, context), context.requestId))),

    getProjectImport: async (request, context) =>
      entity(
        (mayImport(context) ? presentImport : presentImportStatus)(
          await imports.get(namedProject(request, context), context.requestId),
        ),
      ),
  });
}
