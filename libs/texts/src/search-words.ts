/** Words and phrases of a search tried at the most; more would only cost. */
const maxWords = 20;

/** A phrase in quotes that stand alone, or a word. */
const term = /(?<!\S)"([^"]+)"(?!\S)|\S+/g;

/**
 * The words of a search, and its phrases, which stand in quotes; where they may stand; undefined for a search without
 * any.
 */
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
