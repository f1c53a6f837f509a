import type { PageRequest } from '@switchyard/database';
import {
  ListPersonalSnippetsRequest_Scope as Scope,
  type SnippetFile,
  SnippetServiceService,
} from '@switchyard/protos/collaboration/v1/snippet';
import type { PageRequest as RpcPageRequest } from '@switchyard/protos/rpc/v1/representation';
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

const scopes = {
  [Scope.SCOPE_UNSPECIFIED]: 'own',
  [Scope.SCOPE_OWN]: 'own',
  [Scope.SCOPE_PUBLIC]: 'public',
  [Scope.SCOPE_ALL]: 'all',
} as const;

/** @param request 0 as its project stands for none */
const keyOf = ({ projectId, snippetId }: { readonly projectId: number; readonly snippetId: number }) => ({
  projectId: projectId || undefined,
  id: snippetId,
});

/** Serves `SnippetService`. */
export const snippetHandler = (snippets: SnippetUseCases, externalUrl: string): ServiceImplementation => {
  const shown = (snippet: Awaited<ReturnType<SnippetUseCases['get']>>, { access }: CallContext) =>
    presentSnippet(snippet, access?.fullPath ?? '', externalUrl);
  const shownPage = async (
    given: RpcPageRequest | undefined,
    context: CallContext,
    list: (wanted: PageRequest) => ReturnType<SnippetUseCases['list']>,
  ) => {
    const wanted = fixedOrder(given, 'id', 'desc');
    const found = await list(wanted);
    return page(
      found.rows.map((row) => shown(row, context)),
      { ...found.page, keyset: wanted.mode === 'keyset' },
    );
  };
  return implement(
    SnippetServiceService,
    {
      listSnippets: (request, context) =>
        shownPage(request.page, context, (wanted) => snippets.list(context, request.projectId, wanted)),
      listPersonalSnippets: ({ page: given, scope, createdAfter, createdBefore }, context) =>
        shownPage(given, context, (wanted) =>
          snippets.listPersonal(context, { scope: scopes[scope], createdAfter, createdBefore }, wanted),
        ),
      getSnippet: async (request, context) => entity(shown(await snippets.get(context, keyOf(request)), context)),
      getSnippetRaw: async ({ path, ref, ...request }, context) =>
        json(Buffer.from(await snippets.raw(context, keyOf(request), { path, ref: ref || undefined }))),
      createSnippet: async ({ projectId, files, ...fields }, context) => {
        const change = { ...fields, files: files.map(toAction) };
        return entity(shown(await snippets.create(signedIn(context), projectId || undefined, change), context));
      },
      importSnippet: async ({ authorId, importedFrom, foreignId, files, createdAt, updatedAt, ...fields }) => {
        const now = new Date();
        const origin = { importedFrom, foreignId, createdAt: createdAt ?? now, updatedAt: updatedAt ?? now };
        return { created: await snippets.import(authorId, { ...fields, files: files.map(toAction) }, origin) };
      },
      updateSnippet: async ({ files, title, description, visibility, ...request }, context) => {
        const change = { title, description, visibility, files: files.map(toAction) };
        return entity(shown(await snippets.update(signedIn(context), keyOf(request), change), context));
      },
      deleteSnippet: async ({ ifUnmodifiedSince, ...request }, context) => {
        await snippets.remove(signedIn(context), keyOf(request), ifUnmodifiedSince);
        return nothing();
      },
    },
    { importSnippet: { callers: ['imports-exports'] } },
  );
};
