import type { IssueReference } from '@switchyard/texts';

/** Object id of git: 40 lower-case hex characters. */
export type Sha = string;

/** Stands for "no object": the old side of a creation, the new side of a deletion. */
export const zeroSha: Sha = '0'.repeat(40);

/**
 * Who moves a ref: a git client, an endpoint of the repository API, a merge (or a train's landing), the service
 * itself for refs that clients cannot push (`refs/merge-requests/*`), or an import, whose moves are history (D6).
 */
export type RefChangeSource = 'push' | 'api' | 'merge' | 'internal' | 'import';

/** A requested move of one ref. */
export interface RefUpdate {
  /** Full name, `refs/heads/main`. */
  readonly ref: string;
  /** What the ref must point at now; `zeroSha`: it must not exist. */
  readonly before: Sha;
  /** What it shall point at; `zeroSha` deletes it. */
  readonly after: Sha;
}

/** Options of a push (`git push -o`), and of their sender what the work that they ask for needs. */
export interface PushedOptions {
  readonly values: readonly string[];
  readonly username: string;
  readonly external: boolean;
  /** Licence tier that applied to the project. */
  readonly tier: string;
  /** Id of the public request, for calls to other services. */
  readonly requestId: string;
}

/** A move of one ref that has happened. Ids grow, per project, in the order in which the moves were asked for. */
export interface RefChange extends RefUpdate {
  /** Id of the intent, stable over replays: the key by which a subscriber is idempotent. */
  readonly id: number;
  readonly projectId: number;
  /** User who asked for it; 0 for the service itself. */
  readonly actorId: number;
  readonly source: RefChangeSource;
  /** What asked for it, as the caller named it, e.g. `merge_request:12`; undefined when the caller named nothing. */
  readonly cause: string | undefined;
  /** Options that the branch was pushed with. */
  readonly options?: PushedOptions | undefined;
  /** Timestamp of the intent. */
  readonly createdAt: Date;
}

/** What is published of a move of a branch or tag. */
export interface PushFacts {
  /** Commits that are new on the ref; 0 for a removed one. */
  readonly commitCount: number;
  /** Title of the newest commit; empty for a removed ref. */
  readonly commitTitle: string;
  /** True for the project's default branch. */
  readonly defaultBranch: boolean;
  /** The README at the root of the default branch as it is now; undefined when there is none and for other refs. */
  readonly readmePath?: string | undefined;
  /** Issues that the messages of new commits on the default branch close. */
  readonly closes?: readonly IssueReference[];
  /** What new commits are counted from: `before`, or the default branch of that time; undefined where all are new. */
  readonly since?: Sha | undefined;
}

/** The result of an intent; `facts` of a move that is published. */
export interface Settlement {
  readonly change: RefChange;
  readonly moved: boolean;
  readonly facts?: PushFacts;
}

/** The result of one update. `stale`: the ref did not point at `before`, or names that clash (`a` and `a/b`) exist. */
export type RefChangeOutcome =
  | { readonly status: 'moved'; readonly change: RefChange }
  | { readonly status: 'stale'; readonly update: RefUpdate; readonly reason: string };

const zero = /^0{40}$/;

/** True when the change made the ref. */
export const creates = (update: RefUpdate): boolean => zero.test(update.before);

/** True when the change removed the ref. */
export const deletes = (update: RefUpdate): boolean => zero.test(update.after);

/** `main` for `refs/heads/main`; undefined for a ref that is no branch. */
export const branchOf = (ref: string): string | undefined =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;

/** `v1` for `refs/tags/v1`; undefined for a ref that is no tag. */
export const tagOf = (ref: string): string | undefined =>
  ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : undefined;
