import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';

/** Merge requests of pushed branches: one statement. */
export const mergeRequestLinksStore = (db: Database) => ({
  /**
   * Whether merge requests can be made in a project, and those that are open from some of its branches, one for each.
   */
  async ofBranches(projectId: number, branches: readonly string[]) {
    const rows = await db.query<{
      enabled: boolean;
      branch: string | null;
      fullPath: string | null;
      iid: number | null;
    }>(
      named(
        'merge_request_links',
        sql`select own.merge_requests_enabled as enabled, mr.source_branch as branch, n.full_path || '/' || p.path as "fullPath", mr.iid
          from directory.projects own
          left join lateral (
            select distinct on (source_branch) source_branch, project_id, iid from merge_requests
            where source_project_id = own.id and source_branch = any(${[...branches]}::text[]) and state in ('opened', 'locked')
            order by source_branch, id desc
          ) mr on true
          left join directory.projects p on p.id = mr.project_id
          left join directory.namespaces n on n.id = p.namespace_id
          where own.id = ${projectId}`,
      ),
    );
    return {
      enabled: rows[0]?.enabled ?? false,
      open: rows.flatMap(({ branch, fullPath, iid }) =>
        branch === null || fullPath === null || iid === null ? [] : [{ branch, fullPath, iid: Number(iid) }],
      ),
    };
  },
});
