import type { PageRequest } from '@switchyard/database';
import { forbidden, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { type NoteableResolver, noteableRules, type Reader } from '../../noteables';
import { isSnippetRef, snippetBranch } from '../domain/snippet';
import {
  checkTexts,
  decideDeletion,
  decideEdit,
  type ImportedSnippet,
  importedFields,
  newSnippet,
  type SnippetChange,
} from '../domain/snippet-change';
import type {
  PersonalSnippetFilter,
  SnippetKey,
  SnippetOrigin,
  SnippetRow,
  SnippetViewer,
} from '../domain/snippet-row';
import type { SnippetPage, SnippetStore } from './snippet.ports';

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
async function visible({ snippets }: SnippetEdges, reader: Reader, key: SnippetKey): Promise<SnippetRow> {
  const found = reader.access?.id === key.projectId ? await snippets.find(viewerOf(reader), key) : undefined;
  if (found === undefined) throw none();
  return found;
}

/** Only the author, Maintainers of the project and administrators change a snippet. */
function checkMayChange(reader: Reader, snippet: SnippetRow): void {
  const { userId, admin, level } = viewerOf(reader);
  if (snippet.authorId !== userId && !admin && level < levels.maintainer) throw forbidden();
}

/** The use cases of snippets. */
export function manageSnippets(edges: SnippetEdges) {
  const { snippets } = edges;
  return {
    /** Snippets of a project that the reader may see, newest first. */
    list: (reader: Reader, projectId: number, request: PageRequest): Promise<SnippetPage> =>
      snippets.page(viewerOf(reader), projectId, request),

    /** Personal snippets that the reader may see, newest first. */
    listPersonal: (reader: Reader, filter: PersonalSnippetFilter, request: PageRequest): Promise<SnippetPage> =>
      snippets.personalPage(viewerOf(reader), filter, request),

    /** One snippet. Fails with `not_found`. */
    get: (reader: Reader, key: SnippetKey): Promise<SnippetRow> => visible(edges, reader, key),

    /**
     * Content of a file of a snippet, of the first for an empty path. Fails with `not_found`, for a revision that it
     * has not as well.
     */
    async raw(
      reader: Reader,
      key: SnippetKey,
      { path, ref = snippetBranch }: { readonly path: string; readonly ref: string | undefined },
    ): Promise<string> {
      await visible(edges, reader, key);
      if (!isSnippetRef(ref)) throw notFound('Reference');
      const files = await snippets.files(key.id);
      const file = path === '' ? files[0] : files.find((one) => one.path === path);
      if (file === undefined) throw notFound('File');
      return file.content;
    },

    /** Makes a snippet; a personal one is not for external users. Fails with `forbidden`, `invalid`. */
    async create(reader: Reader, projectId: number | undefined, change: SnippetChange): Promise<SnippetRow> {
      if (projectId === undefined && reader.actor.external) throw forbidden();
      const id = await snippets.create(projectId, reader.actor.userId, newSnippet(change));
      return visible(edges, reader, { projectId, id });
    },

    /** Makes a personal snippet that was written elsewhere; false when its author has it already. Fails with `invalid`. */
    import: (authorId: number, change: SnippetChange, origin: SnippetOrigin): Promise<boolean> =>
      snippets.import({ projectId: undefined, authorId }, newSnippet(change), origin),

    /** Adds the snippets of an archive, each once; returns how many can be snippets. */
    async importAll(given: readonly ImportedSnippet[]): Promise<number> {
      let count = 0;
      for (const { place, change, origin } of given) {
        const fields = importedFields(change);
        if (fields === undefined) continue;
        await snippets.import(place, fields, origin);
        count += 1;
      }
      return count;
    },

    /** Changes a snippet. Fails with `not_found`, `forbidden`, `invalid`. */
    async update(reader: Reader, key: SnippetKey, change: SnippetChange): Promise<SnippetRow> {
      checkMayChange(reader, await visible(edges, reader, key));
      checkTexts(change);
      const found = await snippets.change(viewerOf(reader), key, true, (locked) => decideEdit(locked, change));
      if (!found) throw none();
      return visible(edges, reader, key);
    },

    /** Deletes a snippet with its notes. Fails with `not_found`, `forbidden`, `precondition_failed`. */
    async remove(reader: Reader, key: SnippetKey, unmodifiedSince: Date | undefined): Promise<void> {
      checkMayChange(reader, await visible(edges, reader, key));
      await snippets.change(viewerOf(reader), key, false, (locked) => decideDeletion(locked, unmodifiedSince));
    },
  };
}

/** What `manageSnippets` gives. */
export type SnippetUseCases = ReturnType<typeof manageSnippets>;

/** Snippets of projects as noteables: personal ones carry no notes (api.md 4.6). */
export const snippetNoteables =
  (edges: SnippetEdges, externalUrl: string): NoteableResolver<'Snippet'> =>
  async ({ projectId, id }, reader) => {
    const snippet = await visible(edges, reader, { projectId, id });
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
