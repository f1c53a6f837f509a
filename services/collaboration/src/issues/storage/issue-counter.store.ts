import type { SqlExecutor } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import type { IssueCounters } from '../domain/issue-counters';
import type { Followed } from './subscription.store';

/** Counters on the rows of issues or epics, as the port of the store describes them. */
export function counterStore(kind: Followed) {
  const [objects, participants, objectId] = [raw(`${kind}s`), raw(`${kind}_participants`), raw(`${kind}_id`)];
  return {
    /**
     * Sets the counters. A new comment is news of the object, so `updated_at` moves with the number of comments and with
     * nothing else, and who wrote it takes part from then on. An internal one does not move `updated_at`, which everyone
     * sees (G-4.6-9).
     */
    async keep(
      tx: SqlExecutor,
      id: number,
      counted: IssueCounters,
      { actorId, at, internal }: { readonly actorId: number; readonly at: Date; readonly internal: boolean },
    ): Promise<void> {
      // The row is locked before anything refers to it: a deletion under way is waited for, and then nothing is written.
      const kept = await tx.query(sql`
        with kept as (
          update ${objects} i set upvotes = ${counted.upvotes}, downvotes = ${counted.downvotes},
            updated_at = case when i.user_notes_count < ${counted.userNotesCount} and not ${internal}::boolean
              then greatest(i.updated_at, ${at}) else i.updated_at end,
            user_notes_count = ${counted.userNotesCount}, internal_notes_count = ${counted.internalNotesCount}
          from (select id, user_notes_count from ${objects} where id = ${id} for no key update) as before
          where i.id = before.id
          returning i.id, before.user_notes_count < ${counted.userNotesCount} as commented),
        taken as (
          insert into ${participants} as known (${objectId}, user_id, internal)
          select id, ${actorId}, ${internal}::boolean from kept where commented
          on conflict (${objectId}, user_id) do update set internal = false where known.internal and not excluded.internal)
        select 1 from kept`);
      if (kept.length === 0) throw notFound(kind === 'issue' ? 'Issue' : 'Epic');
    },
  };
}
