import { proseLines } from './prose';

/** Names that one text can mention (protos, MergeRequestMentions). */
const maxMentions = 100;

/**
 * The names that a text mentions, as written and without `@`: usernames, full paths of groups (`group/subgroup`) for
 * their members, and `all` for the members of the project.
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

/** Names in order, with repetitions. A name ends before the punctuation of the sentence. */
function* namesIn(line: string): Generator<string> {
  for (const match of line.matchAll(mention)) {
    const name = (match[1] ?? '').replace(/(?<![.-])[.-]+$/, '');
    if (name !== '') yield name;
  }
}

/** The first 100 names that Markdown texts mention outside of code, each once without regard to case. */
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

/** Names in `after` that `before` did not mention in the same or a stronger way. */
export function newMentions(before: Mentions, after: Mentions): Mentions {
  const lower = (names: readonly string[]): Set<string> => new Set(names.map((name) => name.toLowerCase()));
  const wasAddressed = lower(before.directlyAddressed);
  const wasNamed = lower([...before.usernames, ...before.directlyAddressed]);
  return {
    usernames: after.usernames.filter((name) => !wasNamed.has(name.toLowerCase())),
    directlyAddressed: after.directlyAddressed.filter((name) => !wasAddressed.has(name.toLowerCase())),
  };
}
