import type { Database, PageRequest, SqlExecutor, Tx } from '@switchyard/database';
import { join, named, raw, type Sql, sql } from '@switchyard/database/sql';
import type { DirectoryTx, Viewer } from '../../directory';
import type { ProjectChange } from '../domain/project';
import type { HomeRow, LockedProject, NewProject, ProjectFilter, ProjectRow, PushNote } from '../domain/project-row';
import { projectColumns, projectFrom } from './project.columns';
import { listProjects } from './project.list';

const changedColumns = (change: ProjectChange): Sql[] =>
  Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => {
      if (!/^[a-z_]+$/.test(column)) throw new Error(`not a column: ${column}`);
      return column === 'feature_access_levels'
        ? sql`feature_access_levels = feature_access_levels || ${JSON.stringify(value)}::jsonb`
        : sql`${raw(column)} = ${value as string}`;
    });

/** Projects in the database. */
export const projectStore = (db: Database) => ({
  /** A page of projects the viewer may see. */
  list: (viewer: Viewer, filter: ProjectFilter, request: PageRequest) => listProjects(db, viewer, filter, request),

  /** One project with what the viewer has to do with it. */
  find: (id: number, viewer: Viewer): Promise<ProjectRow | undefined> =>
    db.one<ProjectRow>(named('project', sql`select ${projectColumns(viewer)} from ${projectFrom} where p.id = ${id}`)),

  /** Own namespace of a user; 0 when they have none. */
  async ownNamespace(userId: number): Promise<number> {
    const row = await db.one<{ id: number }>(sql`select id from namespaces where owner_id = ${userId}`);
    return row?.id ?? 0;
  },

  /** Id of a user by id or username; undefined when there is none. */
  async findUser(idOrUsername: string): Promise<number | undefined> {
    const found = /^\d{1,15}$/.test(idOrUsername)
      ? sql`id = ${Number(idOrUsername)}`
      : sql`lower(username) = lower(${idOrUsername})`;
    const row = await db.one<{ id: number }>(sql`select id from users where ${found}`);
    return row?.id;
  },

  /** Id of a namespace by id or full path; 0 for none. */
  async findNamespace(idOrPath: string): Promise<number> {
    const found = /^\d{1,15}$/.test(idOrPath)
      ? sql`id = ${Number(idOrPath)}`
      : sql`lower(full_path) = lower(${idOrPath})`;
    const row = await db.one<{ id: number }>(sql`select id from namespaces where ${found}`);
    return row?.id ?? 0;
  },

  /** A namespace, locked against other projects, groups and settings coming in; undefined when there is none. */
  async lockHome(tx: Tx, namespaceId: number, userId: number): Promise<HomeRow | undefined> {
    await tx.query(sql`select id from namespaces where id = ${namespaceId} for no key update`);
    return tx.one<HomeRow>(sql`
      select n.id, n.kind, n.visibility, n.owner_id, n.full_path, n.settings ->> 'project_creation_level' as project_creation_level,
        n.settings ->> 'default_branch' as default_branch, (select top.tier from namespaces top where top.id = n.ancestry[1]) as tier,
        case when n.owner_id = ${userId} then 50 else coalesce((
          select max(m.access_level) from memberships m where m.namespace_id = any(n.ancestry) and m.user_id = ${userId}
          and (m.expires_at is null or m.expires_at > now())), 0) end as level,
        exists (select from namespaces a where a.id = any(n.ancestry) and a.marked_for_deletion_at is not null) as deleting,
        exists (
          select from memberships m left join projects held on held.id = m.project_id
          join namespaces below on below.id = coalesce(m.namespace_id, held.namespace_id)
          where m.user_id = ${userId} and (m.expires_at is null or m.expires_at > now()) and n.id = any(below.ancestry)) as member_below,
        coalesce((select u.projects_limit <= (select count(*) from projects mine where mine.namespace_id = n.id)
          from users u where u.id = n.owner_id), false) as full
      from namespaces n where n.id = ${namespaceId}`);
  },

  /** Which of name and path a namespace has already, in projects and, for the path, in groups. */
  async taken(
    tx: SqlExecutor,
    namespaceId: number,
    { name, path, except = 0 }: { name: string | undefined; path: string | undefined; except?: number },
  ): Promise<{ name: boolean; path: boolean }> {
    const [row] = await tx.query<{ name: boolean; path: boolean }>(sql`
      select
        exists (select from projects where namespace_id = ${namespaceId} and lower(name) = lower(${name ?? null}::text) and id <> ${except}) as name,
        exists (select from projects where namespace_id = ${namespaceId} and lower(path) = lower(${path ?? null}::text) and id <> ${except})
          or exists (select from namespaces where parent_id = ${namespaceId} and lower(path) = lower(${path ?? null}::text)) as path`);
    return row ?? { name: false, path: false };
  },

  /** Inserts a project. */
  async insert(tx: DirectoryTx, project: NewProject): Promise<number> {
    const values = Object.entries(project).filter(([, value]) => value !== undefined);
    const columns = values.map(([column]) => raw(column));
    const [row] = await tx.write(
      'project',
      sql`insert into projects (${join(columns)})
      values (${join(values.map(([column, value]) => (column === 'feature_access_levels' ? sql`${JSON.stringify(value)}::jsonb` : sql`${value as string}`)))})
      returning id`,
    );
    if (row === undefined) throw new Error('a project was not inserted');
    return row.id;
  },

  /**
   * Notes a push: the moment, where it is a minute later than the last one noted, and the README of the default branch, where the push
   * says what it is. Neither is a change of the project's record.
   */
  async pushed(tx: Tx, id: number, { at, readmePath }: PushNote): Promise<void> {
    // A clock that runs ahead must not hold back the pushes that follow.
    const moment = sql`least(${at}::timestamptz, now())`;
    const later = sql`last_activity_at <= ${moment} - interval '1 minute'`;
    const readme = sql`${readmePath?.now ?? null}::text`;
    const told = sql`${readmePath !== undefined}::boolean`;
    await tx.query(sql`
      update projects set
        last_activity_at = case when ${later} then ${moment} else last_activity_at end,
        readme_path = case when ${told} then ${readme} else readme_path end
      where id = ${id} and (${later} or (${told} and readme_path is distinct from ${readme}))`);
  },

  /** Locks a project and says where it is; undefined when it is gone. */
  lock: (tx: Tx, id: number): Promise<LockedProject | undefined> =>
    tx.one(sql`select namespace_id, name, path, visibility from projects where id = ${id} for no key update`),

  /** Changes columns of a project. */
  async change(tx: DirectoryTx, id: number, change: ProjectChange): Promise<void> {
    await tx.write(
      'project',
      sql`update projects set ${join([sql`updated_at = now()`, ...changedColumns(change)])} where id = ${id} returning id`,
    );
  },

  /** Keeps the full path a project has now as a redirect (G-1-7). */
  async redirect(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`
      insert into redirect_routes (path, project_id)
      select lower(n.full_path || '/' || p.path), p.id from projects p join namespaces n on n.id = p.namespace_id where p.id = ${id}
      on conflict (path) do update set project_id = excluded.project_id, namespace_id = null, created_at = now()`);
  },

  /** Puts a project into another namespace. */
  async move(tx: DirectoryTx, id: number, namespaceId: number): Promise<void> {
    await tx.write(
      'project',
      sql`update projects set namespace_id = ${namespaceId}, updated_at = now() where id = ${id} returning id`,
    );
  },

  /** Sets or clears the archive flag. */
  async archive(tx: DirectoryTx, id: number, archived: boolean): Promise<void> {
    await tx.write(
      'project',
      sql`update projects set archived = ${archived}, updated_at = now() where id = ${id} returning id`,
    );
  },

  /** Marks a project for deletion; one that is marked stays as it is. */
  async mark(tx: DirectoryTx, id: number): Promise<void> {
    await tx.write(
      'project',
      sql`update projects set marked_for_deletion_at = now(), updated_at = now()
        where id = ${id} and marked_for_deletion_at is null returning id`,
    );
  },
});
