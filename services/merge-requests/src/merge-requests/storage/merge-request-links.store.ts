import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { joinProject, mergeRequestRule, type Viewer, visibleProjects } from '@switchyard/directory';
import type { PushedBranch } from '../../repositories';

/** Merge requests of pushed branches: one statement. */
export const mergeRequestLinksStore = (db: Database) => ({
  /**
   * Whether merge requests can be made in a project, and those of some of its branches that the viewer reads, one for
   * each: that are open, or else have merged the very commit of the branch.
   */
  async ofBranches(projectId: number, branches: readonly PushedBranch[], viewer: Viewer) {
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
            select distinct on (one.source_branch) one.source_branch, one.project_id, one.iid
            from unnest(${branches.map(({ name }) => name)}::text[], ${branches.map(({ head }) => head)}::text[]) as pushed (name, head)
            join merge_requests one on one.source_project_id = own.id and one.source_branch = pushed.name
              and (one.state in ('opened', 'locked') or (one.state = 'merged' and one.source_sha = pushed.head))
            ${joinProject(sql`one.project_id`)}
            where one.project_id = own.id or ${visibleProjects(viewer, mergeRequestRule)}
            order by one.source_branch, one.state = 'merged', one.id desc
          ) mr on true
          left join directory.projects p on p.id = mr.project_id
          left join directory.namespaces n on n.id = p.namespace_id
          where own.id = ${projectId}`,
      ),
    );
    return {
      enabled: rows[0]?.enabled ?? false,
      shown: rows.flatMap(({ branch, fullPath, iid }) =>
        branch === null || fullPath === null || iid === null ? [] : [{ branch, fullPath, iid: Number(iid) }],
      ),
    };
  },
});
