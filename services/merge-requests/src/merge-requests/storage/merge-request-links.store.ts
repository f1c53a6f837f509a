import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { joinProject, mergeRequestRule, type Viewer, visibleProjects } from '@switchyard/directory';

/** Merge requests of pushed branches: one statement. */
export const mergeRequestLinksStore = (db: Database) => ({
  /**
   * Whether merge requests can be made in a project, and those that are open from some of its branches and that the
   * viewer reads, one for each.
   */
  async ofBranches(projectId: number, branches: readonly string[], viewer: Viewer) {
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
            select distinct on (open.source_branch) open.source_branch, open.project_id, open.iid
            from merge_requests open ${joinProject(sql`open.project_id`)}
            where open.source_project_id = own.id and open.source_branch = any(${[...branches]}::text[])
              and open.state in ('opened', 'locked')
              and (open.project_id = own.id or ${visibleProjects(viewer, mergeRequestRule)})
            order by open.source_branch, open.id desc
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
