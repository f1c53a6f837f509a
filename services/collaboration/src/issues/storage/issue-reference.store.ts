import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { fullPath, projectById } from '@switchyard/directory';

/** An issue and the reference that names it from every project: `group/project#7`. */
export interface ReferencedIssue {
  readonly id: number;
  readonly projectId: number;
  readonly reference: string;
}

/** How issues are named in texts. */
export const issueReferences = {
  /** An issue by its id; undefined for one that is gone. */
  async byId(tx: SqlExecutor, id: number): Promise<ReferencedIssue | undefined> {
    const [row] = await tx.query<{ iid: number; projectId: number }>(
      sql`select iid, project_id as "projectId" from issues where id = ${id}`,
    );
    const project = row && (await projectById(tx, row.projectId));
    return project && { id, projectId: row.projectId, reference: `${fullPath(project)}#${row.iid}` };
  },
};
