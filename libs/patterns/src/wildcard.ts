/** `*` that one pattern may have when it is created. */
export const maxWildcards = 20;

/** Why a pattern is not accepted, as a text that follows its name; undefined when it is. */
export function wildcardProblem(pattern: string): string | undefined {
  const count = pattern.split('*').length - 1;
  return count > maxWildcards ? `has too many wildcards (maximum is ${maxWildcards})` : undefined;
}

/** For every character of a part, how much of the part's beginning ends there (Knuth, Morris and Pratt). */
function bordersOf(part: string): number[] {
  const borders = [0];
  for (let at = 1, length = 0; at < part.length; at += 1) {
    while (length > 0 && part[at] !== part[length]) length = borders[length - 1] ?? 0;
    if (part[at] === part[length]) length += 1;
    borders.push(length);
  }
  return borders;
}

/** Where a part's first occurrence in `text` from `start` on ends; undefined when there is none before `stop`. */
function endOf(part: string, text: string, start: number, stop: number): number | undefined {
  const borders = bordersOf(part);
  let length = 0;
  for (let at = start; at < stop; at += 1) {
    while (length > 0 && text[at] !== part[length]) length = borders[length - 1] ?? 0;
    if (text[at] === part[length]) length += 1;
    if (length === part.length) return at + 1;
  }
  return undefined;
}

/**
 * Returns whether a text matches a pattern as a whole, in which `*` matches any text and every other character
 * itself. Takes time proportional to pattern and text, whatever they contain: each part is taken where it occurs
 * first, which is never wrong.
 */
export function wildcard(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  const inner = rest.filter((part) => part !== '');
  return (text) => {
    if (first.length + last.length > text.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at: number | undefined = first.length;
    for (const part of inner) {
      at = endOf(part, text, at, text.length - last.length);
      if (at === undefined) return false;
    }
    return true;
  };
}
