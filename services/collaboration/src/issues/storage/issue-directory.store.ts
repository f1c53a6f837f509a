import type { Database, SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  accessLevel,
  labelsByTitles,
  milestoneInScope,
  milestonesByTitle,
  projectById,
  projectByPath,
  usersByIds,
  usersWhoSee,
  type Viewer,
  visibleProjects,
} from '@switchyard/directory';
import type { IssueProject, ReferringProject } from '../domain/issue-project';
import { issueRule } from './issue.visibility';

/** The directory as the rules of issues ask it. */
export const issueDirectoryStore = (db: Database) => ({
  async project(id: number): Promise<IssueProject | undefined> {
    const row = await projectById(db, id);
    return row === undefined || row.deleting
      ? undefined
      : { id: row.id, archived: row.archived, issuesEnabled: row.issues_enabled };
  },

  async readers(projectId: number, ids: readonly number[]): Promise<number[]> {
    const who = new Set(await usersWhoSee(db, projectId, ids, issueRule));
    return ids.filter((id) => who.has(id));
  },

  hasMilestone: async (projectId: number, id: number): Promise<boolean> =>
    (await milestoneInScope(db, projectId, id)) !== undefined,

  labelsByTitles: async (projectId: number, titles: readonly string[]): Promise<number[]> =>
    (await labelsByTitles(db, projectId, titles)).map(({ id }) => id),

  milestoneByTitle: async (projectId: number, title: string): Promise<number | undefined> =>
    (await milestonesByTitle(db, projectId, title))[0]?.id,

  /** The level of an actor in a project they can see; undefined where they cannot. */
  levelIn: (viewer: Viewer, projectId: number): Promise<number | undefined> => levelIn(db, viewer, projectId),
});

async function levelIn(db: SqlExecutor, viewer: Viewer, projectId: number): Promise<number | undefined> {
  const [row] = await db.query<{ level: number }>(sql`
    select ${accessLevel(viewer, projectId)} as level from directory.projects p
    join directory.namespaces n on n.id = p.namespace_id
    where p.id = ${projectId} and ${visibleProjects(viewer, issueRule)}`);
  return row?.level;
}

/** The directory within the transaction of an event's effect. */
export const issueDirectoryWithin = {
  levelIn,

  async actingUser(tx: SqlExecutor, userId: number): Promise<Viewer | undefined> {
    const user = (await usersByIds(tx, [userId])).get(userId);
    return user === undefined || user.id !== userId || user.state !== 'active'
      ? undefined
      : { userId, admin: user.admin, external: user.external };
  },

  async project(tx: SqlExecutor, id: number): Promise<ReferringProject | undefined> {
    const row = await projectById(tx, id);
    return row && { id, namespacePath: row.namespace_full_path, defaultBranch: row.default_branch ?? undefined };
  },

  async referenced(tx: SqlExecutor, from: ReferringProject, path: string): Promise<number | undefined> {
    if (path === '') return from.id;
    return (await projectByPath(tx, path.includes('/') ? path : `${from.namespacePath}/${path}`))?.id;
  },
};
