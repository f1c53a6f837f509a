import { decideDeletion } from '../domain/snippet-change';
import type { SnippetKey } from '../domain/snippet-row';
import type { SnippetStore } from './snippet.ports';

/** Who sees every snippet, and is no user. */
const everything = { userId: 0, admin: true, external: false, level: 0 } as const;

/** Snippets of a user who was deleted with what they wrote: each is deleted with its notes. No user does it. */
export const authoredSnippets = (snippets: Pick<SnippetStore, 'authoredBy' | 'change'>) => ({
  name: 'snippets',
  of: (userId: number) => ({
    next: (after: number, limit: number) => snippets.authoredBy(userId, after, limit),
    work: (key: SnippetKey) => snippets.change(everything, key, false, (locked) => decideDeletion(locked, undefined)),
  }),
});
