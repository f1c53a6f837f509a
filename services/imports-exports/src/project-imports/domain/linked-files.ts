/** A file that lies here now. */
export interface BroughtFile {
  /** Its path as texts of the project have it. */
  readonly link: string;
  /** What shows it in a text. */
  readonly markdown: string;
}

/** What became of a file at a forge: where it lies here, or why it does not. */
export type ForeignFile =
  | BroughtFile
  | {
      readonly reason: string;
      /** Another try may bring it. */
      readonly mayPass: boolean;
      /** Seconds after which the forge wants to be asked again; 0 where it does not say it. */
      readonly retryAfter: number;
    };

/** Addresses, and the links that servers of forgeb have; signs that end a sentence are no part of them. */
const links = /(?:https?:\/\/|attachment:)[^\s<>"'`()[\]{}|\\^]+/gi;
const ends = /[.,;:!?*_~]+$/;

/** Characters of a link that may lead to a file. */
const maxLength = 2_048;

/** What a text links to that may be a file. */
function* linksOf(text: string): Generator<{ readonly at: number; readonly link: string }> {
  for (const { 0: found, index: at } of text.matchAll(links)) {
    const link = found.replace(ends, '');
    if (link.length <= maxLength) yield { at, link };
  }
}

/** The different links of some texts. */
export const linksIn = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => [...linksOf(text)].map(({ link }) => link)));

/** What stands before a link that is the destination of another thing: `](`, `](<`, `src="`, `[name]: `. */
const isDestination = /(?:\]\([ \t]*<?|=[ \t]*["']?|(?:^|\n)[ \t]{0,3}\[[^\]\n]*\]:[ \t]*<?)$/;

/** Characters before a link in which that is looked for. */
const looksBack = 200;

/**
 * A text in which links to some files lead to where they lie here. Where a link stands alone the file is shown in its
 * place, which forges do by themselves.
 */
export function relinked(text: string, files: ReadonlyMap<string, BroughtFile>): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, link } of linksOf(text)) {
    const file = files.get(link);
    if (file === undefined || at < from) continue;
    const before = text.slice(Math.max(from, at - looksBack), at);
    const end = at + link.length;
    if (isDestination.test(before) || text.charAt(at - 1) === '[' || text.charAt(at - 1) === '`') {
      parts.push(text.slice(from, at), file.link);
      from = end;
    } else {
      const isMarked = text.charAt(at - 1) === '<' && text.charAt(end) === '>';
      parts.push(text.slice(from, isMarked ? at - 1 : at), file.markdown);
      from = isMarked ? end + 1 : end;
    }
  }
  return parts.join('') + text.slice(from);
}
