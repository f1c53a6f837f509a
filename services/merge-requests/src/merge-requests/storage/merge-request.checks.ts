import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { enqueueJobs, type JobRequest } from '../../jobs';
import { onMergeTrain } from '../domain/auto-merge';
import { consequencesOfCheck } from '../domain/change-consequences';
import type { MergeRequest, MergeStatus } from '../domain/merge-request';
import type { MergeabilityResult } from '../domain/merge-request-change';
import { lean, leanColumns } from './merge-request.columns';
import { type MergeRequestEventInput, publishFacts } from './merge-request.events';
import { toMergeRequest } from './merge-request.row';

/** What is known of the mergeability of merge requests. */
export const mergeabilityStore = (db: Database) => ({
  /** Open merge requests of a project whose mergeability is not known; marks them as being checked. */
  async startChecks(projectId: number): Promise<MergeRequest[]> {
    const rows = await db.query(sql`
      update merge_requests set merge_status = case when merge_status in ('cannot_be_merged_recheck', 'cannot_be_merged_rechecking')
        then 'cannot_be_merged_rechecking' else 'checking' end
      where project_id = ${projectId} and state = 'opened'
        and merge_status in ('unchecked', 'checking', 'cannot_be_merged_recheck', 'cannot_be_merged_rechecking', 'preparing')
      returning ${lean}`);
    return rows.map(toMergeRequest).sort((a, b) => a.id - b.id);
  },

  /**
   * Saves what git found out: one statement for all, which skips merge requests that a push has changed in the
   * meantime. Those that could be merged before, or were never checked, and now cannot, are events; auto-merge jobs
   * follow.
   */
  async saveChecks(results: readonly MergeabilityResult[]): Promise<void> {
    if (results.length === 0) return;
    await db.transaction(async (tx) => {
      const rows = await tx.query<Record<string, unknown> & { previous: MergeStatus }>(sql`
        update merge_requests mr set merge_status = case when given.mergeable then 'can_be_merged' else 'cannot_be_merged' end,
          needs_rebase = given.needs_rebase, target_sha = given.target_sha,
          lock_version = mr.lock_version + 1
        from unnest(${results.map(({ id }) => id)}::bigint[], ${results.map(({ generation }) => generation)}::int[],
            ${results.map(({ mergeable }) => mergeable)}::bool[], ${results.map(({ needsRebase }) => needsRebase)}::bool[],
            ${results.map(({ targetSha }) => targetSha)}::text[]) as given (id, generation, mergeable, needs_rebase, target_sha),
          merge_requests before
        where mr.id = given.id and before.id = mr.id and mr.state = 'opened' and mr.merge_status_generation = given.generation
        returning ${leanColumns('mr')}, before.merge_status as previous`);
      const inputs: MergeRequestEventInput[] = [];
      const jobs: JobRequest[] = [];
      for (const row of rows) {
        const subject = toMergeRequest(row);
        const consequences = consequencesOfCheck(subject, row.previous);
        inputs.push(...consequences.facts.map((fact) => ({ subject, fact, actorId: 0, occurredAt: new Date() })));
        jobs.push(...consequences.jobs);
      }
      await publishFacts(tx, inputs);
      await enqueueJobs(tx, jobs);
    });
  },

  /**
   * Forgets what is known of the mergeability of some merge requests, or of all open ones into a branch, and has them
   * checked. Those on a train are left out: the train finds out by building them, and they are checked when they are
   * removed.
   */
  async recheck(which: { ids: readonly number[] } | { projectId: number; targetBranch: string }): Promise<void> {
    await db.transaction(async (tx) => {
      const condition =
        'ids' in which
          ? sql`id = any(${[...which.ids]}::bigint[])`
          : sql`project_id = ${which.projectId} and target_branch = ${which.targetBranch}`;
      const rows = await tx.query<{ project_id: number }>(sql`
        update merge_requests set merge_status_generation = merge_status_generation + 1,
          merge_status = case when merge_status like 'cannot_be_merged%' then 'cannot_be_merged_recheck' else 'unchecked' end
        where state = 'opened' and id in (select id from merge_requests where state = 'opened' and ${condition}
          and auto_merge_strategy is distinct from ${onMergeTrain} order by id for no key update)
        returning project_id`);
      const projects = new Set(rows.map((row) => row.project_id));
      await enqueueJobs(
        tx,
        [...projects].map((projectId) => ({ kind: 'mergeability', projectId })),
      );
    });
  },
});
