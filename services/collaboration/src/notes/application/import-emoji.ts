import { notFound } from '@switchyard/errors';
import type { ImportKey } from '../../issues';
import type { ImportedEmoji, ReactedTo } from '../domain/imported-emoji';
import type { NoteImportEdges } from './import-notes';

/** What imports of reactions need. */
export interface EmojiImportEdges extends Pick<NoteImportEdges, 'projectExists' | 'mergeRequests'> {
  readonly imports: {
    /**
     * Gives reactions, each once, to what came in; returns how many of them are there now.
     * @param mergeRequests ids of imported ones by number
     */
    add(
      key: ImportKey,
      type: ReactedTo,
      given: readonly ImportedEmoji[],
      mergeRequests: ReadonlyMap<number, number>,
    ): Promise<number>;
  };
}

/** Reactions that come in from an archive. Fails with `not_found` for the project. */
export const importEmoji =
  ({ projectExists, mergeRequests, imports }: EmojiImportEdges) =>
  async (key: ImportKey, type: ReactedTo, given: readonly ImportedEmoji[]): Promise<number> => {
    if (!(await projectExists(key.projectId))) throw notFound('Project');
    const numbers = type === 'MergeRequest' ? [...new Set(given.map(({ on }) => on))] : [];
    const ids = numbers.length === 0 ? new Map<number, number>() : (await mergeRequests.locate(key, numbers, [])).ids;
    return imports.add(key, type, given, ids);
  };
