/** Some lines of a file, around one of them. */
export interface LinesAround {
  /** From 1. */
  readonly line: number;
  readonly linesAbove: number;
  readonly linesBelow: number;
}

/** Lines that are there. */
export interface LinesFound {
  /** With the ends of lines. */
  readonly content: string;
  readonly linesAbove: number;
  readonly linesBelow: number;
}

/** Bytes of the lines that one suggestion may replace: a thread shows all of its suggestions. */
const maxContentBytes = 64 << 10;

/** Lines with their ends. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The lines that a suggestion would replace, without those beyond the file; undefined where its line is none. */
export function linesAround(text: string, { line, linesAbove, linesBelow }: LinesAround): LinesFound | undefined {
  const lines = linesOf(text);
  if (line < 1 || line > lines.length) return undefined;
  const above = Math.min(linesAbove, line - 1);
  const below = Math.min(linesBelow, lines.length - line);
  const content = lines.slice(line - 1 - above, line + below).join('');
  return Buffer.byteLength(content) > maxContentBytes ? undefined : { content, linesAbove: above, linesBelow: below };
}

/** A change of a file, at its lines of now. */
export interface LineChange extends LinesAround {
  readonly suggestionId: number;
  /** What the lines must be. */
  readonly fromContent: string;
  /** What they become. */
  readonly toContent: string;
}

/** Why a change does not apply. */
export interface ChangeProblem {
  readonly suggestionId: number;
  readonly problem: string;
}

/** The problem of lines that are no longer what they were. */
export const changedLines = 'its lines have changed';

/** A file after all changes, or what keeps them from it: each change that does not apply, with the reason. */
export function applyLineChanges(
  text: string,
  changes: readonly LineChange[],
): { readonly text: string } | { readonly problems: readonly ChangeProblem[] } {
  const lines = linesOf(text);
  const problems: ChangeProblem[] = [];
  const placed = changes
    .map((change) => ({ ...change, first: change.line - change.linesAbove, last: change.line + change.linesBelow }))
    .sort((a, b) => a.first - b.first || a.last - b.last);
  let reached = 0;
  for (const { suggestionId, first, last, fromContent, toContent } of placed) {
    if (first <= reached) problems.push({ suggestionId, problem: 'its lines are those of another suggestion too' });
    if (lines.slice(first - 1, last).join('') !== fromContent) problems.push({ suggestionId, problem: changedLines });
    else if (fromContent === toContent) problems.push({ suggestionId, problem: 'it changes nothing' });
    reached = Math.max(reached, last);
  }
  if (problems.length > 0) return { problems };
  // From the end, so that the numbers of the lines before stay.
  for (const { first, last, toContent } of placed.reverse()) lines.splice(first - 1, last - first + 1, toContent);
  return { text: lines.join('') };
}
