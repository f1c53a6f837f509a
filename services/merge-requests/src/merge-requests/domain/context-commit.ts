/** Commits that one merge request shows beside its own. */
export const mostContextCommits = 500;

/** A commit that a merge request shows beside its own. */
export interface ContextCommit {
  readonly sha: string;
  readonly committedAt: Date;
}
