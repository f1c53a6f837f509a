import { proseLines } from './prose';

/** Most names one text can mention (protos, MergeRequestMentions). */
const maxMentions = 100;

/**
 * Whom a text names, as written and without `@`: usernames, full paths of groups (`group/subgroup`), whose members are meant, and `all`
 * for the members of the project.
 */
export interface Mentions {
  readonly usernames: string[];
  /** Those at the start of a line, before other words. */
  readonly directlyAddressed: string[];
}

// A path has no more levels than groups may have.
const mention =
  /(?<![A-Za-z0-9_./@-])@([A-Za-z0-9_][A-Za-z0-9_.-]{0,254}(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}){0,20})/g;
const address = /^[\s>*+-]*((?:@[A-Za-z0-9_][A-Za-z0-9_./-]{0,1023}[\s,]*(?:and\s+)?)+)/;

/** Names in their order, as often as they stand there. A name ends before punctuation that belongs to the sentence. */
function* namesIn(line: string): Generator<string> {
  for (const match of line.matchAll(mention)) {
    const name = (match[1] ?? '').replace(/(?<![.-])[.-]+$/, '');
    if (name !== '') yield name;
  }
}

/** Whom Markdown texts mention: not in code, each once without regard to case, at most 100 in all: the first ones. */
export function mentionsIn(...texts: (string | undefined)[]): Mentions {
  const named = new Map<string, string>();
  const addressed = new Set<string>();
  for (const text of texts) {
    if (text === undefined || !text.includes('@')) continue;
    for (const line of proseLines(text)) {
      if (!line.includes('@')) continue;
      for (const name of namesIn(line)) {
        const key = name.toLowerCase();
        if (named.size < maxMentions && !named.has(key)) named.set(key, name);
      }
      for (const name of namesIn(address.exec(line)?.[1] ?? '')) addressed.add(name.toLowerCase());
      if (named.size >= maxMentions) break;
    }
  }
  const usernames: string[] = [];
  const directlyAddressed: string[] = [];
  for (const [key, name] of named) (addressed.has(key) ? directlyAddressed : usernames).push(name);
  return { usernames, directlyAddressed };
}

/** What `after` names that `before` did not name in that way or a stronger one. */
export function newMentions(before: Mentions, after: Mentions): Mentions {
  const lower = (names: readonly string[]): Set<string> => new Set(names.map((name) => name.toLowerCase()));
  const wasAddressed = lower(before.directlyAddressed);
  const wasNamed = lower([...before.usernames, ...before.directlyAddressed]);
  return {
    usernames: after.usernames.filter((name) => !wasNamed.has(name.toLowerCase())),
    directlyAddressed: after.directlyAddressed.filter((name) => !wasAddressed.has(name.toLowerCase())),
  };
}
