/** A merge request, as links know it. */
export interface LinkedMergeRequest {
  readonly id: number;
  readonly projectId: number;
  readonly iid: number;
  /** It was closed without being merged. */
  readonly closed: boolean;
}

/** An issue that a merge request names. */
export interface IssueLink {
  readonly projectId: number;
  readonly iid: number;
  /** It is closed when the merge request lands. */
  readonly closes: boolean;
}
