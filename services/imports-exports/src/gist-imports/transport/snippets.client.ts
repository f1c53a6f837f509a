import { SnippetServiceService } from '@switchyard/protos/collaboration/v1/snippet';
import type { Peer } from '@switchyard/rpc';
import type { ImportSnippet } from '../application/imports.ports';

/** Milliseconds for one snippet, which may have megabytes. */
const timeoutMs = 30_000;

/** Has collaboration make snippets of gists. */
export function importSnippetBy(collaboration: Peer): ImportSnippet {
  const snippets = collaboration.client(SnippetServiceService);
  return async (authorId, { id, description, isPublic, createdAt, updatedAt }, { title, files }, requestId) => {
    await snippets.importSnippet(
      {
        authorId,
        importedFrom: 'github',
        foreignId: id,
        title,
        description: description.replaceAll('\0', ''),
        visibility: isPublic ? 'public' : 'private',
        files: files.map(({ name, content }) => ({ path: name, content, action: '', previousPath: '' })),
        createdAt,
        updatedAt,
      },
      { requestId, timeoutMs, idempotent: true },
    );
  };
}
