import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { accessLevelOfUser } from '@switchyard/directory';

interface Row {
  readonly sourceBranch: string;
  readonly projectId: number;
  readonly targetBranch: string;
  readonly level: number;
  readonly admin: boolean;
}

/** Branches read for one push. */
const openedAtOnce = 1_000;

/**
 * Branches of a fork from which open merge requests let those push who may merge them, with a user's rights in the
 * targets: one statement.
 */
export const openedBranches =
  (db: Database) =>
  (sourceProjectId: number, userId: number): Promise<Row[]> =>
    db.query<Row>(
      named(
        'opened_branches',
        sql`select mr.source_branch as "sourceBranch", mr.project_id as "projectId", mr.target_branch as "targetBranch",
            ${accessLevelOfUser(sql`mr.project_id`)} as level, u.admin
          from merge_requests mr
          join directory.users u on u.id = ${userId} and u.deleted_at is null and u.ghost_id is null and u.state = 'active'
          join directory.projects source on source.id = mr.source_project_id
          join directory.projects target on target.id = mr.project_id
          where mr.source_project_id = ${sourceProjectId} and mr.project_id <> mr.source_project_id
            and mr.state = 'opened' and mr.allow_collaboration
            and source.visibility <> 'private' and target.visibility <> 'private'
            and source.repository_access_level = 'enabled' and not (u.external and source.visibility = 'internal')
            and source.fork_network_id = target.fork_network_id
            and source.deleted_at is null and target.deleted_at is null and not target.deleting and not target.archived
          order by mr.id desc limit ${openedAtOnce}`,
      ),
    );
