/** What notes and reactions count on an issue or epic. */
export interface IssueCounters {
  readonly userNotesCount: number;
  readonly internalNotesCount: number;
  readonly upvotes: number;
  readonly downvotes: number;
}
