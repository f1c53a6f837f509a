import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { ImportedReceipt } from '../domain/imported-receipt';

/**
 * Adds receipts of an archive, each once, to the merge requests of these numbers that came with it; returns how many of
 * them there are.
 */
export const addImportedReceipts =
  (db: Database) =>
  async (projectId: number, importedFrom: string, given: readonly ImportedReceipt[]): Promise<number> => {
    const [counted] = await db.query<{ count: number }>(sql`
      with given as (
        select g.*, mr.id as merge_request_id
        from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (
          merge_request_iid bigint, target_branch text, method text, squash boolean, head_sha text, base_sha text, tested_sha text,
          tested_tree text, pipeline_status text, statuses jsonb, required_statuses text[], landed_sha text, landed_tree text,
          merge_commit_sha text, squash_commit_sha text, added_by_id bigint, boarded_at timestamptz, built_at timestamptz,
          tested_at timestamptz, landed_at timestamptz, batch_iids bigint[], reruns int)
        join merge_requests mr on mr.project_id = ${projectId} and mr.iid = g.merge_request_iid
          and mr.imported_from = ${importedFrom}),
      added as (
        insert into landing_receipts (project_id, merge_request_id, merge_request_iid, target_branch, method, squash, head_sha,
          base_sha, tested_sha, tested_tree, pipeline_status, statuses, required_statuses, landed_sha, landed_tree,
          merge_commit_sha, squash_commit_sha, added_by_id, boarded_at, built_at, tested_at, landed_at, batch_iids, reruns, imported)
        select ${projectId}, merge_request_id, merge_request_iid, target_branch, method, squash, head_sha,
          base_sha, tested_sha, tested_tree, pipeline_status, statuses, required_statuses, landed_sha, landed_tree,
          merge_commit_sha, squash_commit_sha, added_by_id, boarded_at, built_at, tested_at, landed_at, batch_iids, reruns, true
        from given order by landed_at, merge_request_iid
        on conflict do nothing)
      select count(*)::int as count from given`);
    return counted?.count ?? 0;
  };
