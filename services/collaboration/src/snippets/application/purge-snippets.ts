import { repeat } from '@switchyard/background';
import type { SnippetStore } from './snippet.ports';

/** Milliseconds between two purges: what is purged is hidden already, so it is not urgent. */
const interval = 60_000;

/** Snippets one statement removes; keeps its locks short. */
const batch = 1_000;

/** Purges snippets of deleted projects (D5), now and every minute. */
export const purgeSnippets = (snippets: Pick<SnippetStore, 'removeOrphans'>) =>
  repeat('snippets of deleted projects', interval, async (stopping) => {
    while (!stopping.aborted && (await snippets.removeOrphans(batch)) > 0);
  });
