import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  accessLevel,
  codeRule,
  type DirectoryProjectRow,
  labelsInScope,
  mergeRequestRule,
  milestoneInScope,
  projectById,
  projectByPath,
  usersByIds,
  usersWhoSee,
  type Viewer,
  visibleProjects,
} from '@switchyard/directory';
import { toMergeSettings } from './merge-request.row';

const toMergeProject = (row: DirectoryProjectRow) => ({
  id: row.id,
  fullPath: `${row.namespace_full_path}/${row.path}`,
  archived: row.archived,
  visibility: row.visibility,
  settings: toMergeSettings(row),
});

/** The directory as the rules of merge requests read it. */
export const mergeRequestDirectoryStore = (db: Database) => ({
  /** A project that is alive; undefined for others. */
  async project(id: number): Promise<ReturnType<typeof toMergeProject> | undefined> {
    const row = await projectById(db, id);
    return row === undefined || row.deleting ? undefined : toMergeProject(row);
  },

  /** Those of `ids` who may read the project's merge requests, in the order given. */
  async readers(projectId: number, ids: readonly number[]): Promise<number[]> {
    const who = new Set(await usersWhoSee(db, projectId, ids, mergeRequestRule));
    return ids.filter((id) => who.has(id));
  },

  /** Those of `ids` that are labels the project may use. */
  labels: (projectId: number, ids: readonly number[]): Promise<{ id: number; title: string }[]> =>
    labelsInScope(db, projectId, ids),

  /** True when the project may use this milestone. */
  hasMilestone: async (projectId: number, id: number): Promise<boolean> =>
    (await milestoneInScope(db, projectId, id)) !== undefined,

  /** A user's access in a project now; for work done later in their name. `gone`: deleted or blocked. */
  async accessOf(userId: number, projectId: number): Promise<{ level: number; admin: boolean; gone: boolean }> {
    const user = (await usersByIds(db, [userId])).get(userId);
    if (user === undefined || user.id !== userId || user.state !== 'active')
      return { level: 0, admin: false, gone: true };
    const viewer = { userId, admin: user.admin, external: user.external };
    const row = await db.one<{ level: number }>(sql`select ${accessLevel(viewer, projectId)} as level`);
    return { level: row?.level ?? 0, admin: user.admin, gone: false };
  },

  /** Addresses of a user, in lower case. */
  async emailsOf(userId: number): Promise<Set<string>> {
    const user = (await usersByIds(db, [userId])).get(userId);
    const emails = [user?.email, user?.commit_email, user?.public_email].flatMap((email) => email || []);
    return new Set(emails.map((email) => email.toLowerCase()));
  },

  /** True for the users of access tokens and of the instance. */
  isBot: async (userId: number): Promise<boolean> => (await usersByIds(db, [userId])).get(userId)?.bot ?? false,

  /** True when an actor may read the merge requests of a project. */
  async mayRead(viewer: Viewer, projectId: number): Promise<boolean> {
    const rows = await db.query(sql`
      select 1 from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      where p.id = ${projectId} and p.merge_requests_enabled and ${visibleProjects(viewer, mergeRequestRule)}`);
    return rows.length > 0;
  },

  /** A project as the target of a merge request from another; undefined when the viewer does not see it. */
  target: (
    viewer: Viewer,
    { projectId, sourceProjectId }: { readonly projectId: number; readonly sourceProjectId: number },
  ): Promise<{ opens: boolean; related: boolean; level: number } | undefined> =>
    db.one(sql`
      select (${visibleProjects(viewer, codeRule)} and ${visibleProjects(viewer, mergeRequestRule)}) as opens,
        exists (select 1 from directory.projects s
          where s.id = ${sourceProjectId} and s.deleted_at is null and s.fork_network_id = p.fork_network_id) as related,
        ${accessLevel(viewer, projectId)} as level
      from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      where p.id = ${projectId} and ${visibleProjects(viewer)}`),

  /** Whether both projects are alive and belong to one network of forks. */
  async areRelated(oneId: number, otherId: number): Promise<boolean> {
    const rows = await db.query(sql`
      select 1 from directory.projects one join directory.projects other on other.fork_network_id = one.fork_network_id
      where one.id = ${oneId} and other.id = ${otherId} and one.deleted_at is null and other.deleted_at is null`);
    return rows.length > 0;
  },

  /** The project that a fork's merge requests go into, where the viewer may open merge requests there. */
  async upstreamOf(viewer: Viewer, projectId: number): Promise<number | undefined> {
    const row = await db.one<{ id: number }>(sql`
      select p.id from directory.projects fork join directory.projects p on p.id = fork.forked_from_project_id
      join directory.namespaces n on n.id = p.namespace_id
      where fork.id = ${projectId} and not fork.mr_default_target_self and p.fork_network_id = fork.fork_network_id and p.merge_requests_enabled
        and ${visibleProjects(viewer, codeRule)} and ${visibleProjects(viewer, mergeRequestRule)}`);
    return row?.id;
  },

  /** Id of a living project by its full path, without regard to case. */
  async projectIdByPath(path: string): Promise<number | undefined> {
    const row = await projectByPath(db, path);
    return row === undefined || row.deleting ? undefined : row.id;
  },

  /** Those of `projectIds` whose merge requests an actor may read. */
  async readableProjects(viewer: Viewer, projectIds: readonly number[]): Promise<Set<number>> {
    const rows = await db.query<{ id: number }>(sql`
      select p.id from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      where p.id = any(${[...new Set(projectIds)]}::bigint[]) and p.merge_requests_enabled
        and ${visibleProjects(viewer, mergeRequestRule)}`);
    return new Set(rows.map(({ id }) => id));
  },
});
