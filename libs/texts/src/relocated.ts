import { shortReferences } from './issue-references';
import { proseLines } from './prose';

/** A number behind a mark, whether a reference or not; longer ones name nothing. */
const numbers = /[#!]\d{1,15}(?![^\W_])/g;

/** Numbers in the place of those of a text begin here, so that all have as many digits as a reference may. */
const firstStandIn = 900_000_000_000_000;

/** Most characters a text may have come to: as many as a description or a note may have. */
const longest = 1_000_000;

/** The path that means from everywhere what `path` means beside a project. */
function fullPathOf(path: string, projectPath: string): string {
  if (path === '') return projectPath;
  return path.includes('/') ? path : `${projectPath.slice(0, projectPath.lastIndexOf('/'))}/${path}`;
}

/**
 * A Markdown text of a project as it is to stand in another one: issues and merge requests that it names as `#1`, `!1` and `project#1` are
 * named by full paths. What the parsers of references do not read stays: code, comments, escaped marks; so do destinations of links. A
 * reference with which the text would be longer than 1,000,000 characters stays as well.
 * @param projectPath full path of the project that the text comes from
 */
export function relocated(text: string, projectPath: string): string {
  // Each number is replaced by one that tells where it stood: the parser of Markdown says what is prose, not where.
  const places: number[] = [];
  const marked = text.replace(numbers, (found, at: number) => {
    places.push(at);
    return `${found[0]}${firstStandIn + places.length - 1}`;
  });
  if (places.length === 0) return text;
  const paths = new Map<number, string>();
  for (const line of proseLines(marked))
    for (const { path, iid } of shortReferences(line)) paths.set(iid - firstStandIn, path);
  const parts: string[] = [];
  let from = 0;
  let { length } = text;
  for (const [index, mark] of places.entries()) {
    const path = paths.get(index);
    if (path === undefined) continue;
    const start = mark - path.length;
    const full = fullPathOf(path, projectPath);
    length += full.length - path.length;
    const unread = text.slice(start, mark) !== path || /\]\(\s*<?$/.test(text.slice(Math.max(0, start - 3), start));
    if (unread || length > longest) {
      length -= full.length - path.length;
      continue;
    }
    parts.push(text.slice(from, start), full);
    from = mark;
  }
  return parts.join('') + text.slice(from);
}
