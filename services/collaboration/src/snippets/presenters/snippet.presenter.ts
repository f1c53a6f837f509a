import { userReference } from '@switchyard/directory';
import { snippetBranch } from '../domain/snippet';
import type { SnippetRow } from '../domain/snippet-row';

/**
 * The public snippet (G §10 Snippets).
 * @param projectPath full path of its project; empty for a personal one
 */
export function presentSnippet(snippet: SnippetRow, projectPath: string, externalUrl: string) {
  const webUrl = `${externalUrl}${projectPath && `/${projectPath}`}/-/snippets/${snippet.id}`;
  return {
    id: snippet.id,
    title: snippet.title,
    description: snippet.description ?? null,
    visibility: snippet.visibility,
    author: snippet.author && userReference(snippet.author, externalUrl),
    created_at: snippet.createdAt,
    updated_at: snippet.updatedAt,
    project_id: snippet.projectId ?? null,
    web_url: webUrl,
    raw_url: `${webUrl}/raw`,
    file_name: snippet.paths[0] ?? null,
    files: snippet.paths.map((path) => ({
      path,
      raw_url: `${webUrl}/raw/${snippetBranch}/${path.split('/').map(encodeURIComponent).join('/')}`,
    })),
    imported: snippet.importedFrom !== undefined,
    imported_from: snippet.importedFrom ?? 'none',
  };
}
