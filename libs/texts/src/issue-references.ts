import { proseLines } from './prose';

/** An issue, a merge request or an epic as a text names it. */
export interface IssueReference {
  /**
   * Path of its project as written: `group/project`, `project` beside the text's own project, or empty for that very
   * project. For an epic the full path of its group, or empty for the group of the text.
   */
  readonly path: string;
  /** Number within the project or group. */
  readonly iid: number;
}

/** Issues that texts name, each once. */
export interface IssueReferences {
  /** Those that are done when what the texts describe is merged: `Closes #3, #4 and group/project#5`. */
  readonly closing: readonly IssueReference[];
  /** All, those of `closing` included. */
  readonly mentioned: readonly IssueReference[];
  /** Merge requests that the same texts name. */
  readonly mergeRequests: readonly IssueReference[];
  /** Epics that they name. */
  readonly epics: readonly IssueReference[];
}

/** Most references one set of texts can make, of each kind. */
const maxReferences = 100;

/** The forms of a reference of one kind: short, and as the rest of an address. */
interface Form {
  readonly mark: string;
  readonly short: RegExp;
  readonly address: RegExp;
}

// A path begins at the start of a word, so a long word is read once.
const issueForm: Form = {
  mark: '#',
  short: /(?<![\w/#&.-])((?:\w[\w.-]*(?:\/\w[\w.-]*)*)?)#(\d{1,15})(?!\w)/g,
  address: /([\w.-]+(?:\/[\w.-]+)+?)\/(?:-\/)?issues\/(\d{1,15})(?![\w/])/y,
};

const mergeRequestForm: Form = {
  mark: '!',
  short: /(?<![\w/!.-])((?:\w[\w.-]*(?:\/\w[\w.-]*)*)?)!(\d{1,15})(?!\w)/g,
  address: /([\w.-]+(?:\/[\w.-]+)+?)\/(?:-\/)?merge_requests\/(\d{1,15})(?![\w/])/y,
};

const epicForm: Form = {
  mark: '&',
  // Not in the query of an address, where `&2=3` is a parameter.
  short: /(?<![\w/&#.=?%-])((?:\w[\w.-]*(?:\/\w[\w.-]*)*)?)&(\d{1,15})(?![\w;])/g,
  address: /groups\/([\w.-]+(?:\/[\w.-]+)*?)\/(?:-\/)?epics\/(\d{1,15})(?![\w/])/y,
};

const keyword =
  /\b(?:clos(?:es|ed|e|ing)|fix(?:es|ed|ing)?|resolv(?:es|ed|e|ing)|implement(?:s|ed|ing)?):?\s+(?:issues?\s+)?/gi;
/** The text between two references of one list. */
const between = /^(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)(?:issues?\s+)?$/i;
const maxBetween = 20;

interface Found extends IssueReference {
  readonly start: number;
  readonly end: number;
}

function shortReferencesOf(line: string, { mark, short }: Form): Found[] {
  if (!line.includes(mark)) return [];
  return [...line.matchAll(short)].map((match) => ({
    path: match[1] ?? '',
    iid: Number(match[2]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function addresses(line: string, origin: string, { address }: Form): Found[] {
  const found: Found[] = [];
  for (let at = line.indexOf(origin); at >= 0; at = line.indexOf(origin, at + origin.length)) {
    address.lastIndex = at + origin.length;
    const match = address.exec(line);
    if (match !== null) {
      found.push({ path: match[1] ?? '', iid: Number(match[2]), start: at, end: address.lastIndex });
    }
  }
  return found;
}

/** References of one kind that a line makes, in their order. */
const referencesOf = (line: string, origin: string, form: Form): Found[] =>
  [...shortReferencesOf(line, form), ...addresses(line, origin, form)].sort((a, b) => a.start - b.start);

/** Issues and merge requests that a line of prose names by number, in no order; addresses are none of these. */
export const shortReferences = (line: string): IssueReference[] =>
  [issueForm, mergeRequestForm].flatMap((form) => shortReferencesOf(line, form));

/** Which references of a line follow a word that closes, or another such reference in a list. */
function closingAmong(line: string, references: readonly Found[]): Found[] {
  const begins = new Set([...line.matchAll(keyword)].map((match) => match.index + match[0].length));
  const closing: Found[] = [];
  let last: Found | undefined;
  for (const reference of references) {
    const gap = last === undefined ? maxBetween + 1 : reference.start - last.end;
    const listed = gap <= maxBetween && between.test(line.slice(last?.end, reference.start));
    last = listed || begins.has(reference.start) ? reference : undefined;
    if (last !== undefined) closing.push(last);
  }
  return closing;
}

/** Whether a text may name anything at all. */
const hasReference = (text: string, origin: string): boolean =>
  ['#', '!', '&', origin].some((mark) => text.includes(mark));

/**
 * What Markdown texts name: issues as `#1`, `project#1`, `group/project#1` and full addresses; not in code, at most 100 of
 * each kind.
 * @param externalUrl start of all addresses of this installation
 */
export function issueReferences(texts: readonly (string | undefined)[], externalUrl: string): IssueReferences {
  const origin = `${externalUrl.replace(/\/+$/, '')}/`;
  const mentioned = new Map<string, IssueReference>();
  const closing = new Map<string, IssueReference>();
  const mergeRequests = new Map<string, IssueReference>();
  const epics = new Map<string, IssueReference>();
  const add = (all: Map<string, IssueReference>, { path, iid }: IssueReference): void => {
    const key = `${path.toLowerCase()}#${iid}`;
    if (iid > 0 && all.size < maxReferences && !all.has(key)) all.set(key, { path, iid });
  };
  for (const text of texts) {
    if (text === undefined || !hasReference(text, origin)) continue;
    for (const line of proseLines(text)) {
      for (const reference of referencesOf(line, origin, mergeRequestForm)) add(mergeRequests, reference);
      for (const reference of referencesOf(line, origin, epicForm)) add(epics, reference);
      const references = referencesOf(line, origin, issueForm);
      for (const reference of references) add(mentioned, reference);
      if (references.length > 0) for (const reference of closingAmong(line, references)) add(closing, reference);
    }
  }
  return {
    closing: [...closing.values()],
    mentioned: [...mentioned.values()],
    mergeRequests: [...mergeRequests.values()],
    epics: [...epics.values()],
  };
}

/** What a text refers to. */
export interface CrossReference extends IssueReference {
  readonly kind: 'Issue' | 'MergeRequest' | 'Epic';
}

const forms = [
  ['Issue', issueForm],
  ['MergeRequest', mergeRequestForm],
  ['Epic', epicForm],
] as const;

/**
 * Issues, merge requests and epics that a Markdown text names: `#1`, `!1`, `&1`, `group/project#1`, `group&1` and full
 * addresses, each once; not in code, at most 100 in all.
 * @param externalUrl start of all addresses of this installation
 */
export function crossReferencesOf(text: string, externalUrl: string): CrossReference[] {
  const origin = `${externalUrl.replace(/\/+$/, '')}/`;
  const found = new Map<string, CrossReference>();
  if (!hasReference(text, origin)) return [];
  for (const line of proseLines(text)) {
    for (const [kind, form] of forms) {
      for (const { path, iid } of referencesOf(line, origin, form)) {
        if (found.size >= maxReferences) return [...found.values()];
        const key = `${kind} ${path.toLowerCase()} ${iid}`;
        if (iid > 0 && !found.has(key)) found.set(key, { kind, path, iid });
      }
    }
  }
  return [...found.values()];
}
