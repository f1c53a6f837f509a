import type { ModuleEntry } from '../domain/module-files';

/** Whose request source code is read for. */
export interface SourceReader {
  readonly userId: number;
  readonly requestId: string;
}

/** A tag of a commit. */
export interface SourceTag {
  readonly name: string;
  readonly commitSha: string;
}

/** A commit. */
export interface SourceCommit {
  readonly sha: string;
  /** To the second. */
  readonly committedAt: Date;
}

/** What is at a path of a commit. */
export interface SourceFile {
  /** Bytes; undefined where there is no file. */
  readonly size: number | undefined;
  /** Undefined where there is no file, or it was too large. */
  readonly content: Buffer | undefined;
  /** Sha of its content; empty where there is no file. */
  readonly sha: string;
}

/** A part of a content; `index` is its place among those that were asked for. */
export interface SourcePart {
  readonly index: number;
  readonly content: Uint8Array;
}

/**
 * The repository of a project, read for someone whose rights were checked; merge-requests owns it. Each fails with
 * `not_found` for what is not there, and with `unavailable` and `rate_limited` where git has no place for it.
 */
export interface SourceCode {
  /** Tags whose names begin with a prefix, at most 10,000: the newest. `reachableFrom` leaves those of a commit and its ancestors. */
  tags(prefix: string, reachableFrom?: string): Promise<SourceTag[]>;
  /** What a branch, tag, full ref or beginning of an id means; the default branch where it is empty. */
  commit(revision: string): Promise<SourceCommit>;
  /** Files at paths of commits, in their order; contents up to `mostBytes` together. Fails for no place. */
  files(
    places: readonly { readonly commitSha: string; readonly path: string }[],
    mostBytes: number,
  ): Promise<SourceFile[]>;
  /** What lies below a folder of a commit, as it comes. */
  tree(commitSha: string, folder: string): AsyncIterable<readonly ModuleEntry[]>;
  /** Contents of files one after another, as they come, until `signal` aborts. */
  blobs(shas: readonly string[], signal: AbortSignal): AsyncIterable<SourcePart>;
}

/** Opens the repository of a project for a reader. */
export type OpenSourceCode = (projectId: number, reader: SourceReader) => SourceCode;
