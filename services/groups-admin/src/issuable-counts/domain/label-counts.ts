/** What `labelCounts` gives. */
export interface LabelCounts {
  readonly open_issues: number;
  readonly closed_issues: number;
  readonly open_merge_requests: number;
}
