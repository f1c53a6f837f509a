import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';

interface Row {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
  readonly targetBranch: string;
  readonly open: boolean;
  readonly autoMergeSha: string | null;
}

/** Merge requests of a pushed branch. */
export const pushOptionStore = (db: Database) => ({
  /**
   * Merge requests from a branch, newest first, that are open, or were opened, merged or closed since `since`; at most
   * 100.
   */
  async fromBranch(projectId: number, branch: string, since: Date): Promise<Row[]> {
    const rows = await db.query<Row>(
      named(
        'merge_requests_of_push',
        sql`select id, iid, project_id as "projectId", title, target_branch as "targetBranch", state = 'opened' as open,
            auto_merge_sha as "autoMergeSha"
          from merge_requests
          where source_project_id = ${projectId} and source_branch = ${branch}
            and (state in ('opened', 'locked') or created_at >= ${since} or merged_at >= ${since} or closed_at >= ${since})
          order by id desc limit 100`,
      ),
    );
    return rows.map((row) => ({ ...row, id: Number(row.id), iid: Number(row.iid), projectId: Number(row.projectId) }));
  },
});
