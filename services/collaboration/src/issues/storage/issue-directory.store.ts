import { type Database, type SqlExecutor, sql } from '@switchyard/database';
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
  /** A project that is alive; undefined for others. */
  async project(id: number): Promise<IssueProject | undefined> {
    const row = await projectById(db, id);
    return row === undefined || row.deleting
      ? undefined
      : { id: row.id, archived: row.archived, issuesEnabled: row.issues_enabled };
  },

  /** Those of `ids` who see the project, in the order given. */
  async readers(projectId: number, ids: readonly number[]): Promise<number[]> {
    const who = new Set(await usersWhoSee(db, projectId, ids, issueRule));
    return ids.filter((id) => who.has(id));
  },

  /** True when the project may use this milestone. */
  hasMilestone: async (projectId: number, id: number): Promise<boolean> =>
    (await milestoneInScope(db, projectId, id)) !== undefined,

  /** Labels of these titles that the project may use. */
  labelsByTitles: async (projectId: number, titles: readonly string[]): Promise<number[]> =>
    (await labelsByTitles(db, projectId, titles)).map(({ id }) => id),

  /** A milestone of this title that the project may use; undefined when there is none. */
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

  /** A user as who may act now; undefined for one who is gone or blocked. */
  async actingUser(tx: SqlExecutor, userId: number): Promise<Viewer | undefined> {
    const user = (await usersByIds(tx, [userId])).get(userId);
    return user === undefined || user.id !== userId || user.state !== 'active'
      ? undefined
      : { userId, admin: user.admin, external: user.external };
  },

  /** A project that is there; undefined for one that is gone. */
  async project(tx: SqlExecutor, id: number): Promise<ReferringProject | undefined> {
    const row = await projectById(tx, id);
    return row && { id, namespacePath: row.namespace_full_path, defaultBranch: row.default_branch ?? undefined };
  },

  /** Id of the project that a text of `from` names as ``, `project` or `group/project`; undefined when there is none. */
  async referenced(tx: SqlExecutor, from: ReferringProject, path: string): Promise<number | undefined> {
    if (path === '') return from.id;
    return (await projectByPath(tx, path.includes('/') ? path : `${from.namespacePath}/${path}`))?.id;
  },
};
