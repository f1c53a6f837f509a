import { shortReferences } from './issue-references';
import { proseLines } from './prose';

/** A number after a mark, whether a reference or not; longer numbers are no references. */
const numbers = /[#!]\d{1,15}(?![^\W_])/g;

/** First of the numbers that replace those of a text, so that all have as many digits as a reference may have. */
const firstStandIn = 900_000_000_000_000;

/** Characters of the result: as many as a description or a note may have. */
const maxLength = 1_000_000;

/** The full path for `path` as it is written in a project. */
function fullPathOf(path: string, projectPath: string): string {
  if (path === '') return projectPath;
  return path.includes('/') ? path : `${projectPath.slice(0, projectPath.lastIndexOf('/'))}/${path}`;
}

/**
 * A Markdown text of a project, rewritten for another one: `#1`, `!1` and `project#1` become full paths. What is no
 * reference stays: code, comments, escaped marks, destinations of links. A reference stays as well if the text would
 * become longer than 1,000,000 characters.
 * @param projectPath full path of the text's original project
 */
export function relocated(text: string, projectPath: string): string {
  // Each number is replaced by a number that encodes its index: the Markdown parser returns prose without positions.
  const positions: number[] = [];
  const marked = text.replace(numbers, (found, at: number) => {
    positions.push(at);
    return `${found[0]}${firstStandIn + positions.length - 1}`;
  });
  if (positions.length === 0) return text;
  const paths = new Map<number, string>();
  for (const line of proseLines(marked))
    for (const { path, iid } of shortReferences(line)) paths.set(iid - firstStandIn, path);
  const parts: string[] = [];
  let from = 0;
  let { length } = text;
  for (const [index, mark] of positions.entries()) {
    const path = paths.get(index);
    if (path === undefined) continue;
    const start = mark - path.length;
    const full = fullPathOf(path, projectPath);
    length += full.length - path.length;
    const unread = text.slice(start, mark) !== path || /\]\(\s*<?$/.test(text.slice(Math.max(0, start - 3), start));
    if (unread || length > maxLength) {
      length -= full.length - path.length;
      continue;
    }
    parts.push(text.slice(from, start), full);
    from = mark;
  }
  return parts.join('') + text.slice(from);
}
