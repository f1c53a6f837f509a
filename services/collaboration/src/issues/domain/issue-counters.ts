/** What notes and reactions count on an issue. */
export interface IssueCounters {
  readonly userNotesCount: number;
  readonly internalNotesCount: number;
  readonly upvotes: number;
  readonly downvotes: number;
}
