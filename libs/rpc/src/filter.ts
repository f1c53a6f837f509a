import {
  TitleFilter_Kind as Title,
  type TitleFilter,
  UserFilter_Kind as User,
  type UserFilter,
} from '@switchyard/protos/rpc/v1/filter';

/** Users a filter asks for: nobody, somebody, or every one of those named; undefined when it was not given. */
export function userMatch(
  filter: UserFilter | undefined,
): 'none' | 'any' | { ids: readonly number[]; usernames: readonly string[] } | undefined {
  if (filter?.kind === User.KIND_NONE) return 'none';
  if (filter?.kind === User.KIND_ANY) return 'any';
  return filter?.kind === User.KIND_USERS ? { ids: filter.ids, usernames: filter.usernames } : undefined;
}

/** Titles a filter asks for: none, some, or every one of those below; undefined when it was not given. */
export function titleMatch(
  filter: TitleFilter | undefined,
): 'none' | 'any' | { titles: readonly string[] } | undefined {
  if (filter?.kind === Title.KIND_NONE) return 'none';
  if (filter?.kind === Title.KIND_ANY) return 'any';
  return filter?.kind === Title.KIND_TITLES ? { titles: filter.titles } : undefined;
}

/** Words and phrases of a search tried at the most; more would only cost. */
const maxWords = 20;

/** A phrase in quotes that stand alone, or a word. */
const term = /(?<!\S)"([^"]+)"(?!\S)|\S+/g;

/** The words of a search, and its phrases, which stand in quotes; where they may stand; undefined for a search without any. */
export function searchMatch(wire: {
  readonly search: string;
  readonly searchTitle: boolean;
  readonly searchDescription: boolean;
}): { words: readonly string[]; title: boolean; description: boolean } | undefined {
  const words: string[] = [];
  for (const [whole, phrase] of wire.search.matchAll(term)) {
    const word = (phrase ?? whole).trim();
    if (word !== '' && words.length < maxWords) words.push(word);
  }
  return words.length === 0 ? undefined : { words, title: wire.searchTitle, description: wire.searchDescription };
}
