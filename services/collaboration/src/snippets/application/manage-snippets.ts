import type { PageInfo, PageRequest } from '@switchyard/database';
import { forbidden, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { type NoteableResolver, noteableRules, type Reader } from '../../noteables';
import { isSnippetRef, snippetBranch } from '../domain/snippet';
import { checkTexts, decideDeletion, decideEdit, newSnippet, type SnippetChange } from '../domain/snippet-change';
import type { SnippetRow, SnippetViewer } from '../domain/snippet-row';
import type { SnippetStore } from './snippet.ports';

/** What snippets need. */
export interface SnippetEdges {
  readonly snippets: SnippetStore;
}

const viewerOf = ({ actor, access }: Reader): SnippetViewer => ({
  userId: actor.userId,
  admin: actor.admin,
  external: actor.external,
  level: access?.level ?? 0,
});

const none = () => notFound(noteableRules.Snippet.thing);

/** Fails with `not_found` for a snippet that is not there or that the reader may not see. */
async function visible({ snippets }: SnippetEdges, reader: Reader, projectId: number, id: number): Promise<SnippetRow> {
  const found = reader.access?.id === projectId ? await snippets.find(viewerOf(reader), { projectId, id }) : undefined;
  if (found === undefined) throw none();
  return found;
}

/** Only the author, Maintainers and administrators change a snippet. */
function checkMayChange(reader: Reader, snippet: SnippetRow): void {
  const { userId, admin, level } = viewerOf(reader);
  if (snippet.authorId !== userId && !admin && level < levels.maintainer) throw forbidden();
}

/** The use cases of snippets. */
export function manageSnippets(edges: SnippetEdges) {
  const { snippets } = edges;
  return {
    /** Snippets of a project that the reader may see, newest first. */
    list: (reader: Reader, projectId: number, request: PageRequest): Promise<{ rows: SnippetRow[]; page: PageInfo }> =>
      snippets.page(viewerOf(reader), projectId, request),

    /** One snippet. Fails with `not_found`. */
    get: (reader: Reader, projectId: number, id: number): Promise<SnippetRow> => visible(edges, reader, projectId, id),

    /**
     * Content of a file of a snippet, of the first for an empty path. Fails with `not_found`, for a revision that it
     * has not as well.
     */
    async raw(
      reader: Reader,
      projectId: number,
      id: number,
      { path, ref = snippetBranch }: { readonly path: string; readonly ref: string | undefined },
    ): Promise<string> {
      await visible(edges, reader, projectId, id);
      if (!isSnippetRef(ref)) throw notFound('Reference');
      const files = await snippets.files(id);
      const file = path === '' ? files[0] : files.find((one) => one.path === path);
      if (file === undefined) throw notFound('File');
      return file.content;
    },

    /** Makes a snippet. Fails with `invalid`. */
    async create(reader: Reader, projectId: number, change: SnippetChange): Promise<SnippetRow> {
      const id = await snippets.create(projectId, reader.actor.userId, newSnippet(change));
      return visible(edges, reader, projectId, id);
    },

    /** Changes a snippet. Fails with `not_found`, `forbidden`, `invalid`. */
    async update(reader: Reader, projectId: number, id: number, change: SnippetChange): Promise<SnippetRow> {
      checkMayChange(reader, await visible(edges, reader, projectId, id));
      checkTexts(change);
      const found = await snippets.change(viewerOf(reader), { projectId, id }, true, (locked) =>
        decideEdit(locked, change),
      );
      if (!found) throw none();
      return visible(edges, reader, projectId, id);
    },

    /** Deletes a snippet with its notes. Fails with `not_found`, `forbidden`, `precondition_failed`. */
    async remove(reader: Reader, projectId: number, id: number, unmodifiedSince: Date | undefined): Promise<void> {
      checkMayChange(reader, await visible(edges, reader, projectId, id));
      await snippets.change(viewerOf(reader), { projectId, id }, false, (locked) =>
        decideDeletion(locked, unmodifiedSince),
      );
    },
  };
}

/** What `manageSnippets` gives. */
export type SnippetUseCases = ReturnType<typeof manageSnippets>;

/** Snippets as noteables. */
export const snippetNoteables =
  (edges: SnippetEdges, externalUrl: string): NoteableResolver<'Snippet'> =>
  async ({ projectId, id }, reader) => {
    const snippet = await visible(edges, reader, projectId, id);
    return {
      kind: 'Snippet',
      projectId,
      targetId: id,
      iid: undefined,
      sha: '',
      authorId: snippet.authorId,
      assigneeIds: [],
      title: snippet.title,
      webUrl: `${externalUrl}/${reader.access?.fullPath}/-/snippets/${id}`,
      state: '',
      confidential: snippet.visibility === 'private',
      locked: false,
    };
  };
