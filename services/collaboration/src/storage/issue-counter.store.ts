import { type SqlExecutor, sql } from '@switchyard/database';

/** What notes and reactions count on an issue. */
export interface IssueCounters {
  readonly userNotesCount: number;
  readonly upvotes: number;
  readonly downvotes: number;
}

/** Counters on the rows of issues, kept by whoever counts. */
export const issueCounters = {
  /**
   * Sets the counters. A new comment is news of the issue, so `updated_at` moves with the number of comments and with nothing else, and
   * who wrote it takes part from then on.
   */
  async keep(
    tx: SqlExecutor,
    issueId: number,
    counted: IssueCounters,
    { actorId, at }: { readonly actorId: number; readonly at: Date },
  ): Promise<void> {
    await tx.query(sql`
      insert into issue_participants (issue_id, user_id)
      select id, ${actorId} from issues where id = ${issueId} and user_notes_count < ${counted.userNotesCount}
      on conflict do nothing`);
    await tx.query(sql`
      update issues set upvotes = ${counted.upvotes}, downvotes = ${counted.downvotes},
        updated_at = case when user_notes_count < ${counted.userNotesCount} then greatest(updated_at, ${at}) else updated_at end,
        user_notes_count = ${counted.userNotesCount}
      where id = ${issueId}`);
  },
};
