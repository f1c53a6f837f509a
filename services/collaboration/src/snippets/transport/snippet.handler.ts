import { type SnippetFile, SnippetServiceService } from '@switchyard/protos/collaboration/v1/snippet';
import {
  type CallContext,
  entity,
  fixedOrder,
  implement,
  json,
  nothing,
  page,
  type ServiceImplementation,
  signedIn,
} from '@switchyard/rpc';
import type { SnippetUseCases } from '../application/manage-snippets';
import { presentSnippet } from '../presenters/snippet.presenter';

const toAction = ({ action, path, previousPath, content }: SnippetFile) => ({ action, path, previousPath, content });

/** Serves `SnippetService`. */
export const snippetHandler = (snippets: SnippetUseCases, externalUrl: string): ServiceImplementation => {
  const shown = (snippet: Awaited<ReturnType<SnippetUseCases['get']>>, { access }: CallContext) =>
    presentSnippet(snippet, access?.fullPath ?? '', externalUrl);
  return implement(SnippetServiceService, {
    listSnippets: async (request, context) => {
      const wanted = fixedOrder(request.page, 'id', 'desc');
      const found = await snippets.list(context, request.projectId, wanted);
      return page(
        found.rows.map((row) => shown(row, context)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },
    getSnippet: async ({ projectId, snippetId }, context) =>
      entity(shown(await snippets.get(context, projectId, snippetId), context)),
    getSnippetRaw: async ({ projectId, snippetId, path, ref }, context) =>
      json(Buffer.from(await snippets.raw(context, projectId, snippetId, { path, ref: ref || undefined }))),
    createSnippet: async ({ projectId, files, ...fields }, context) =>
      entity(
        shown(await snippets.create(signedIn(context), projectId, { ...fields, files: files.map(toAction) }), context),
      ),
    updateSnippet: async ({ projectId, snippetId, files, title, description, visibility }, context) => {
      const change = { title, description, visibility, files: files.map(toAction) };
      return entity(shown(await snippets.update(signedIn(context), projectId, snippetId, change), context));
    },
    deleteSnippet: async ({ projectId, snippetId, ifUnmodifiedSince }, context) => {
      await snippets.remove(signedIn(context), projectId, snippetId, ifUnmodifiedSince);
      return nothing();
    },
  });
};
