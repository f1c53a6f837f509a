import type { Database } from '@switchyard/database';
import { projectById, projectByPath, usersByIds } from '@switchyard/directory';
import { notFound } from '@switchyard/errors';
import {
  type AcceptImportPlaceholderRequest,
  ImportPlaceholderServiceService,
} from '@switchyard/protos/imports_exports/v1/import_placeholder';
import type { Representation } from '@switchyard/protos/rpc/v1/representation';
import { type CallContext, entity, implement, page, pageRequest, type ServiceImplementation } from '@switchyard/rpc';
import type { Placeholders } from '../application/manage-placeholders';
import type { Placeholder } from '../domain/placeholder';
import { presentPlaceholder, usersOf } from '../presenters/placeholder.presenter';
import { namedProject } from './named-project';

/** Serves `ImportPlaceholderService`. */
export function placeholderHandler(
  placeholders: Placeholders,
  { db, externalUrl }: { readonly db: Database; readonly externalUrl: string },
): ServiceImplementation {
  const shown = async (rows: readonly Placeholder[]) => {
    const users = await usersByIds(db, rows.flatMap(usersOf));
    return rows.map((one) => presentPlaceholder(one, users, externalUrl));
  };
  const only = async (one: Placeholder) => entity((await shown([one]))[0] ?? {});
  /** Who was asked may not see the project: to all others nothing is there. */
  async function answer(
    { projectId, projectPath, placeholderId }: AcceptImportPlaceholderRequest,
    accepts: boolean,
    { actor }: CallContext,
  ): Promise<Representation> {
    const project = await (projectPath === '' ? projectById(db, projectId) : projectByPath(db, projectPath));
    if (project === undefined) throw notFound('Placeholder');
    return only(await placeholders.answer(project.id, placeholderId, accepts, actor));
  }
  return implement(ImportPlaceholderServiceService, {
    async listImportPlaceholders(request, context) {
      const asked = pageRequest(request.page, { orderBy: 'id', descending: false });
      const projectId = namedProject(request, context);
      const { rows, page: info } = await placeholders.list(projectId, request.state || undefined, asked);
      return page(await shown(rows), { ...info, keyset: asked.mode === 'keyset' });
    },

    reassignImportPlaceholder: async (request, context) =>
      only(
        await placeholders.reassign(
          namedProject(request, context),
          request.placeholderId,
          request.userId,
          context.actor,
        ),
      ),

    acceptImportPlaceholder: (request, context) => answer(request, true, context),
    rejectImportPlaceholder: (request, context) => answer(request, false, context),
  });
}
