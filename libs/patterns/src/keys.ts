import { compiledExpression } from './expression';

/** How the keys of the issues of a tracker are made. */
export interface KeyForm {
  /** What a whole key has to match, as for `parseExpression`; empty: `ABC-12`, as Jira makes them. */
  readonly expression: string;
  /** What stands before each key, to the letter, and is no part of it; empty for nothing. */
  readonly prefix: string;
}

/** A key in a text. */
export interface FoundKey {
  readonly key: string;
  /** Where it begins in the text, its prefix included. */
  readonly start: number;
  readonly end: number;
}

/** Finds the keys of a text, in their order and apart from each other. */
export type FindKeys = (text: string) => readonly FoundKey[];

const asJira = '[A-Z][A-Z0-9_]+-\\d+';

/** Most characters of a key. */
const maxKey = 255;

/** A word: what stands between blanks, brackets, quotes and commas. One that is longer than a key is cut, and none. */
const word = /[^\s,;:()[\]{}"'<>]{1,256}/y;

/**
 * Characters times instructions that all texts of one finder may cost, some 100 ms: 130,000 characters with `ABC-12`, and
 * 2,000 with the largest expression.
 */
const maxSteps = 2_000_000;

/** Keys of one text. */
const maxKeys = 1_000;

/** Where the candidates of a text begin: with each word, or behind each prefix that continues no word or address. */
function* beginnings(text: string, prefix: string): Generator<{ readonly start: number; readonly from: number }> {
  if (prefix === '') {
    for (const { index } of text.matchAll(/[^\s,;:()[\]{}"'<>]+/g)) yield { start: index, from: index };
    return;
  }
  for (let start = text.indexOf(prefix); start >= 0; start = text.indexOf(prefix, start + prefix.length))
    if (!/[\w#&/]/.test(text[start - 1] ?? '')) yield { start, from: start + prefix.length };
}

/**
 * Finds the words that are keys as a whole, a full stop behind them left out. Work is bounded for all texts together:
 * behind the bound no key is found.
 * @throws AppError as `parseExpression`
 */
export function keyFinder({ expression, prefix }: KeyForm): FindKeys {
  const { matches, size } = compiledExpression(`^(?:${expression === '' ? asJira : expression})$`);
  let left = maxSteps;
  return (text) => {
    const found: FoundKey[] = [];
    let end = 0;
    for (const { start, from } of beginnings(text, prefix)) {
      if (start < end) continue;
      word.lastIndex = from;
      const key = word.exec(text)?.[0].replace(/[.!?]{1,256}$/, '') ?? '';
      left -= (key.length + 1) * size;
      if (left < 0 || found.length === maxKeys) break;
      if (key === '' || key.length > maxKey || !matches(key)) continue;
      end = from + key.length;
      found.push({ key, start, end });
    }
    return found;
  };
}
