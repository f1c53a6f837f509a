import { proseLines } from './prose';

/** An issue as a text names it. */
export interface IssueReference {
  /** Path of its project as written: `group/project`, `project` beside the text's own project, or empty for that very project. */
  readonly path: string;
  /** Number within the project. */
  readonly iid: number;
}

/** Issues that texts name, each once. */
export interface IssueReferences {
  /** Those that are done when what the texts describe is merged: `Closes #3, #4 and group/project#5`. */
  readonly closing: readonly IssueReference[];
  /** All, those of `closing` included. */
  readonly mentioned: readonly IssueReference[];
}

/** Most references one set of texts can make, of each kind. */
const maxReferences = 100;

// A path begins at the start of a word, so a long word is looked at once.
const short = /(?<![\w/#&.-])((?:\w[\w.-]*(?:\/\w[\w.-]*)*)?)#(\d{1,15})(?!\w)/g;
const keyword =
  /\b(?:clos(?:es|ed|e|ing)|fix(?:es|ed|ing)?|resolv(?:es|ed|e|ing)|implement(?:s|ed|ing)?):?\s+(?:issues?\s+)?/gi;
/** What may stand between two references of one list. */
const between = /^(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)(?:issues?\s+)?$/i;
const longestBetween = 20;
const pathAndNumber = /([\w.-]+(?:\/[\w.-]+)+?)\/(?:-\/)?issues\/(\d{1,15})(?![\w/])/y;

interface Found extends IssueReference {
  readonly start: number;
  readonly end: number;
}

function shortReferences(line: string): Found[] {
  if (!line.includes('#')) return [];
  return [...line.matchAll(short)].map((match) => ({
    path: match[1] ?? '',
    iid: Number(match[2]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function addresses(line: string, origin: string): Found[] {
  const found: Found[] = [];
  for (let at = line.indexOf(origin); at >= 0; at = line.indexOf(origin, at + origin.length)) {
    pathAndNumber.lastIndex = at + origin.length;
    const match = pathAndNumber.exec(line);
    if (match !== null) {
      found.push({ path: match[1] ?? '', iid: Number(match[2]), start: at, end: pathAndNumber.lastIndex });
    }
  }
  return found;
}

/** Which references of a line follow a word that closes, or another such reference in a list. */
function closingAmong(line: string, references: readonly Found[]): Found[] {
  const begins = new Set([...line.matchAll(keyword)].map((match) => match.index + match[0].length));
  const closing: Found[] = [];
  let last: Found | undefined;
  for (const reference of references) {
    const gap = last === undefined ? longestBetween + 1 : reference.start - last.end;
    const listed = gap <= longestBetween && between.test(line.slice(last?.end, reference.start));
    last = listed || begins.has(reference.start) ? reference : undefined;
    if (last !== undefined) closing.push(last);
  }
  return closing;
}

/**
 * Issues named in Markdown texts: `#1`, `project#1`, `group/project#1` and full addresses; not in code, at most 100 of each kind.
 * @param externalUrl where addresses of this installation begin
 */
export function issueReferences(texts: readonly (string | undefined)[], externalUrl: string): IssueReferences {
  const origin = `${externalUrl.replace(/\/+$/, '')}/`;
  const mentioned = new Map<string, IssueReference>();
  const closing = new Map<string, IssueReference>();
  const add = (all: Map<string, IssueReference>, { path, iid }: IssueReference): void => {
    const key = `${path.toLowerCase()}#${iid}`;
    if (iid > 0 && all.size < maxReferences && !all.has(key)) all.set(key, { path, iid });
  };
  for (const text of texts) {
    if (text === undefined || !(text.includes('#') || text.includes(origin))) continue;
    for (const line of proseLines(text)) {
      const references = [...shortReferences(line), ...addresses(line, origin)].sort((a, b) => a.start - b.start);
      for (const reference of references) add(mentioned, reference);
      if (references.length > 0) for (const reference of closingAmong(line, references)) add(closing, reference);
    }
  }
  return { closing: [...closing.values()], mentioned: [...mentioned.values()] };
}
