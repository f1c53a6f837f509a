/** Files that a snippet may have: a gist with more is left out (api.md 4.19). */
export const maxFiles = 10;

/** Gists of a page: each is read by a request of its own. */
export const pageSize = 20;

/** Pages that are read: a forge that never ends its list ends here. */
export const maxPages = 5_000;

/** Milliseconds for a gist: one that a forge sends more slowly is left out. */
export const gistMs = 120_000;

/** Milliseconds after which an import is given back between two gists: others that wait come first. */
export const turnMs = 60_000;

/** Left-out gists that a mail lists; of further ones it says how many. */
export const listed = 200;

/** Failures in a row after which an import has failed. */
export const maxFailures = 12;

/** Longest pause in seconds after failures: the forge may be away for most of an hour. */
export const longestPause = 900;

/** A gist that was left out. */
export interface SkippedGist {
  readonly title: string;
  readonly url: string;
  readonly reason: string;
}

/** Where an import goes on. */
export interface GistPlace {
  /** The page that is read next, from 1. */
  readonly page: number;
  /** Gists of it that were brought. */
  readonly brought: number;
}

/** An import that a process works on until its lease ends. */
export interface GistImportLease {
  readonly id: number;
  readonly authorId: number;
  /** Address of the forge; empty for the hosted one. */
  readonly host: string;
  readonly token: string;
  readonly place: GistPlace;
  /** Tries since it last got on, from 1. */
  attempt: number;
  readonly lease: string;
  readonly askedAt: Date;
}

/** What gists have become. */
export interface GistResult {
  readonly imported: number;
  readonly skipped: readonly SkippedGist[];
}

/** How an import ended. */
export interface EndedGistImport {
  readonly id: number;
  readonly authorId: number;
  readonly problem: string | undefined;
  readonly imported: number;
  readonly skipped: number;
  /** The first of them. */
  readonly skippedGists: readonly SkippedGist[];
}

/** Whether its user is notified: what came over whole is seen. */
export const isWorthMail = ({ problem, skipped }: EndedGistImport): boolean => problem !== undefined || skipped > 0;

/** Characters of a title. */
const titleLength = 255;

/**
 * Title of the snippet that a gist becomes: the first line of its description with something to read in it, else the name
 * of its first file.
 */
export function titleOf(description: string, fileNames: readonly string[]): string {
  const lines = [...description.split(/\r?\n/), ...fileNames].map((line) => line.replaceAll(/\p{Cc}/gu, ' ').trim());
  return [...(lines.find((line) => line !== '') ?? 'Gist')].slice(0, titleLength).join('');
}
