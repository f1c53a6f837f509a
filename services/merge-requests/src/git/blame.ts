import type { Sha, TreePath } from './names';
import { GitCommandError, type GitOptions, gitText, type Repository } from './run-git';

/** Lines that follow each other and were last changed by one commit. */
export interface BlamedLines {
  sha: Sha;
  /** Without their line ends. */
  lines: string[];
}

/** Lines of a file, the first is 1. */
export interface LineRange {
  start: number;
  end: number;
}

const outputBytes = 64 << 20;
const header = /^([0-9a-f]{40}) \d+ \d+/;

/**
 * Which commit last changed each line of a file at a commit, in the order of the lines. What of a range lies behind the
 * end of the file is left out. Throws `too_large` for more than 64 MiB of lines, and when git needs too much for it.
 */
export async function blame(
  repo: Repository,
  { commit, path, range }: { commit: Sha; path: TreePath; range?: LineRange },
  options: GitOptions = {},
): Promise<BlamedLines[]> {
  const lines = range === undefined ? [] : ['-L', `${range.start},${range.end}`];
  let text: string;
  try {
    const args = ['blame', '--porcelain', ...lines, commit, '--', path];
    text = await gitText(repo, args, { ...options, maxOutput: outputBytes });
  } catch (error) {
    if (range !== undefined && error instanceof GitCommandError && /has only \d+ lines?/.test(error.message)) return [];
    throw error;
  }
  return parseBlame(text);
}

/** Reads porcelain output: per line a header, what is said of a commit once, and the line behind a tab. */
export function parseBlame(text: string): BlamedLines[] {
  const found: BlamedLines[] = [];
  let sha = '' as Sha;
  // A file whose last line has no end gets one here.
  for (const line of text.split('\n')) {
    if (line.startsWith('\t')) {
      const last = found.at(-1);
      if (last?.sha === sha) last.lines.push(line.slice(1));
      else found.push({ sha, lines: [line.slice(1)] });
    } else {
      const [, named] = header.exec(line) ?? [];
      if (named !== undefined) sha = named as Sha;
    }
  }
  return found;
}
