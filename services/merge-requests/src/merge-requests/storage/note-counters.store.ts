import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { enqueueJobs } from '../../jobs';
import { jobsAfterNotes } from '../domain/change-consequences';
import type { NoteCounters } from '../domain/note-counters';

/**
 * Keeps the counters of notes, threads and reactions that merge requests print and are checked by (D4). When the last
 * thread of one that waits for auto-merge is resolved, its checks run again.
 */
export async function keepNoteCounters(
  tx: SqlExecutor & { notify?(channel: string): void },
  counters: NoteCounters,
): Promise<void> {
  const { mergeRequestId, version, userNotes, internalNotes, unresolvedDiscussions, upvotes, downvotes, activeAt } =
    counters;
  const [row] = await tx.query<{ waits: boolean }>(sql`
    update merge_requests set notes_version = ${version}, user_notes_count = ${userNotes}, internal_notes_count = ${internalNotes},
      unresolved_discussions_count = ${unresolvedDiscussions}, upvotes = ${upvotes}, downvotes = ${downvotes},
      updated_at = greatest(updated_at, ${activeAt ?? null}::timestamptz)
    where id = ${mergeRequestId} and notes_version < ${version}
    returning auto_merge_strategy is not null and state = 'opened' as waits`);
  await enqueueJobs(tx, jobsAfterNotes(counters, row?.waits ?? false));
}
