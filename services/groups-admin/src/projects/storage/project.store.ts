import { type Database, join, named, raw, type Sql, type SqlExecutor, sql, type Tx } from '@switchyard/database';
import type { Viewer } from '../../directory';
import { openIssuesOf } from '../../issuable-counts';
import type { Visibility } from '../../rules';
import type { ProjectChange } from '../domain/project';

/** A project with its namespace and the viewer's memberships, as it is printed. */
export interface ProjectRow {
  id: number;
  namespace_id: number;
  creator_id: number | null;
  name: string;
  path: string;
  description: string | null;
  visibility: Visibility;
  default_branch: string;
  avatar_url: string | null;
  topics: string[];
  archived: boolean;
  marked_for_deletion_at: Date | null;
  /** At the root of the default branch; null when there is none. */
  readme_path: string | null;
  merge_method: string;
  squash_option: string;
  only_allow_merge_if_pipeline_succeeds: boolean;
  allow_merge_on_skipped_pipeline: boolean;
  only_allow_merge_if_all_discussions_are_resolved: boolean;
  remove_source_branch_after_merge: boolean;
  merge_pipelines_enabled: boolean;
  merge_trains_enabled: boolean;
  merge_trains_skip_train_allowed: boolean;
  merge_train_required_statuses: string[];
  merge_train_timeout: number;
  merge_train_parallel_cars: number;
  merge_commit_template: string | null;
  squash_commit_template: string | null;
  suggestion_commit_message: string | null;
  printing_merge_request_link_enabled: boolean;
  resolve_outdated_diff_discussions: boolean;
  autoclose_referenced_issues: boolean;
  approvals_before_merge: number;
  issues_access_level: string;
  merge_requests_access_level: string;
  repository_access_level: string;
  feature_access_levels: Record<string, string>;
  lfs_enabled: boolean;
  request_access_enabled: boolean;
  shared_runners_enabled: boolean;
  emails_enabled: boolean;
  ci_config_path: string | null;
  build_timeout: number;
  auto_cancel_pending_pipelines: string;
  star_count: number;
  forks_count: number;
  open_issues_count: number;
  last_activity_at: Date;
  created_at: Date;
  updated_at: Date;
  namespace_name: string;
  namespace_path: string;
  namespace_kind: 'group' | 'user';
  namespace_full_path: string;
  namespace_full_name: string;
  namespace_parent_id: number | null;
  namespace_avatar_url: string | null;
  tier: string | null;
  owner_id: number | null;
  owner_username: string | null;
  owner_name: string | null;
  owner_state: string | null;
  owner_avatar_url: string | null;
  owner_public_email: string | null;
  owner_created_at: Date | null;
  /** Level of the viewer's own membership in the project. */
  project_level: number | null;
  /** Highest level of the viewer in the groups above. */
  group_level: number | null;
}

/** Columns of `projectFrom` for a `ProjectRow`. */
export const projectColumns = (viewer: Viewer): Sql => sql`p.*, n.name as namespace_name, n.path as namespace_path,
  n.kind as namespace_kind, n.full_path as namespace_full_path, n.full_name as namespace_full_name,
  n.parent_id as namespace_parent_id, coalesce(n.avatar_url, o.avatar_url) as namespace_avatar_url,
  (select top.tier from namespaces top where top.id = n.ancestry[1]) as tier, ${openIssuesOf(viewer)} as open_issues_count,
  o.id as owner_id, o.username as owner_username, o.name as owner_name, o.state as owner_state,
  o.avatar_url as owner_avatar_url, o.public_email as owner_public_email, o.created_at as owner_created_at,
  (select m.access_level from memberships m where m.project_id = p.id and m.user_id = ${viewer.userId}::bigint
    and (m.expires_at is null or m.expires_at > now())) as project_level,
  (select max(m.access_level) from memberships m where m.namespace_id = any(n.ancestry)
    and m.user_id = ${viewer.userId}::bigint and (m.expires_at is null or m.expires_at > now())) as group_level`;

/** Projects `p`, their namespaces `n` and the owners `o` of those that are users'. */
export const projectFrom: Sql = sql`projects p join namespaces n on n.id = p.namespace_id left join users o on o.id = n.owner_id`;

/** A namespace as far as a project in it is concerned. */
export interface HomeRow {
  id: number;
  kind: 'group' | 'user';
  visibility: Visibility;
  owner_id: number | null;
  full_path: string;
  project_creation_level: string | null;
  default_branch: string | null;
  /** Licence tier of the top-level group when it has its own (G-13-16). */
  tier: string | null;
  /** Effective level of the user asked for; 50 in their own namespace. */
  level: number;
  /** Hidden because it, or a group above it, is marked for deletion. */
  deleting: boolean;
  /** True when the user belongs to a group or project below. */
  member_below: boolean;
  /** A user's namespace that holds as many projects as its owner may have. */
  full: boolean;
}

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
  async insert(
    tx: Tx,
    project: ProjectChange & {
      namespace_id: number;
      creator_id: number;
      initialize_with_readme: boolean;
      readme_path: string | undefined;
    },
  ): Promise<number> {
    const values = Object.entries(project).filter(([, value]) => value !== undefined);
    const columns = values.map(([column]) => raw(column));
    const row = await tx.one<{ id: number }>(sql`
      insert into projects (${join(columns)})
      values (${join(values.map(([column, value]) => (column === 'feature_access_levels' ? sql`${JSON.stringify(value)}::jsonb` : sql`${value as string}`)))})
      returning id`);
    if (row === undefined) throw new Error('a project was not inserted');
    return row.id;
  },

  /**
   * Notes a push: the moment, where it is a minute later than the last one noted, and the README of the default branch, where the push
   * says what it is. Neither is a change of the project's record.
   */
  async pushed(
    tx: Tx,
    id: number,
    { at, readmePath }: { at: Date; readmePath: { now: string | undefined } | undefined },
  ): Promise<void> {
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
  lock: (
    tx: Tx,
    id: number,
  ): Promise<{ namespace_id: number; name: string; path: string; visibility: Visibility } | undefined> =>
    tx.one(sql`select namespace_id, name, path, visibility from projects where id = ${id} for no key update`),

  /** Changes columns of a project. */
  async change(tx: Tx, id: number, change: ProjectChange): Promise<void> {
    await tx.query(
      sql`update projects set ${join([sql`updated_at = now()`, ...changedColumns(change)])} where id = ${id}`,
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
  async move(tx: Tx, id: number, namespaceId: number): Promise<void> {
    await tx.query(sql`update projects set namespace_id = ${namespaceId}, updated_at = now() where id = ${id}`);
  },

  /** Sets or clears the archive flag. */
  async archive(tx: Tx, id: number, archived: boolean): Promise<void> {
    await tx.query(sql`update projects set archived = ${archived}, updated_at = now() where id = ${id}`);
  },

  /** Marks a project for deletion; false when it was marked already. */
  async mark(tx: Tx, id: number): Promise<boolean> {
    const row = await tx.one(sql`
      update projects set marked_for_deletion_at = now(), updated_at = now()
      where id = ${id} and marked_for_deletion_at is null returning id`);
    return row !== undefined;
  },
});

/** Access to projects in the database. */
export type ProjectStore = ReturnType<typeof projectStore>;
