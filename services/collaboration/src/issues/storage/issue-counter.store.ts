import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import type { IssueCounters } from '../domain/issue-counters';

/** Counters on the rows of issues. */
export const issueCounters = {
  /**
   * Sets the counters. A new comment is news of the issue, so `updated_at` moves with the number of comments and with
   * nothing else, and who wrote it takes part from then on. An internal one does not move `updated_at`, which everyone
   * sees (G-4.6-9).
   * @param by who acts, when, and whether by an internal note
   * @throws AppError not_found when the issue was deleted in the meantime
   */
  async keep(
    tx: SqlExecutor,
    issueId: number,
    counted: IssueCounters,
    { actorId, at, internal }: { readonly actorId: number; readonly at: Date; readonly internal: boolean },
  ): Promise<void> {
    // The row is locked before anything refers to it: a deletion under way is waited for, and then nothing is written.
    const kept = await tx.query(sql`
      with kept as (
        update issues i set upvotes = ${counted.upvotes}, downvotes = ${counted.downvotes},
          updated_at = case when i.user_notes_count < ${counted.userNotesCount} and not ${internal}::boolean
            then greatest(i.updated_at, ${at}) else i.updated_at end,
          user_notes_count = ${counted.userNotesCount}, internal_notes_count = ${counted.internalNotesCount}
        from (select id, user_notes_count from issues where id = ${issueId} for no key update) as before
        where i.id = before.id
        returning i.id, before.user_notes_count < ${counted.userNotesCount} as commented),
      taken as (
        insert into issue_participants as known (issue_id, user_id, internal)
        select id, ${actorId}, ${internal}::boolean from kept where commented
        on conflict (issue_id, user_id) do update set internal = false where known.internal and not excluded.internal)
      select 1 from kept`);
    if (kept.length === 0) throw notFound('Issue');
  },
};
