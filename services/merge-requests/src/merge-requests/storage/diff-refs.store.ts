import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** Commits that the newest version of a merge request compares; undefined when there is none, or nothing to compare. */
export const diffRefsOf =
  (db: Database) =>
  (
    projectId: number,
    mergeRequestId: number,
  ): Promise<{ baseSha: string; startSha: string; headSha: string } | undefined> =>
    db.one(sql`
      select d.base_sha as "baseSha", d.start_sha as "startSha", d.head_sha as "headSha"
      from merge_requests mr join merge_request_diffs d on d.id = mr.latest_diff_id
      where mr.id = ${mergeRequestId} and mr.project_id = ${projectId}`);
