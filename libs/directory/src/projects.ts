import type { SqlExecutor } from '@switchyard/database';
import { named, raw, type Sql, sql } from '@switchyard/database/sql';

/** A project with its path as others print it. */
export interface ProjectRow {
  id: number;
  name: string;
  path: string;
  namespace_id: number;
  namespace_full_path: string;
  namespace_full_name: string;
  visibility: string;
}

/** Settings of a project that other services act on; see the proto `DirectoryProjectSettings`. */
export interface ProjectSettingsRow {
  merge_method: 'merge' | 'rebase_merge' | 'ff';
  squash_option: 'never' | 'always' | 'default_on' | 'default_off';
  only_allow_merge_if_pipeline_succeeds: boolean;
  allow_merge_on_skipped_pipeline: boolean;
  only_allow_merge_if_all_discussions_are_resolved: boolean;
  remove_source_branch_after_merge: boolean;
  merge_requests_enabled: boolean;
  issues_enabled: boolean;
  repository_access_level: 'disabled' | 'private' | 'enabled';
  monitor_access_level: 'disabled' | 'private' | 'enabled';
  initialize_with_readme: boolean;
  merge_commit_template: string | null;
  squash_commit_template: string | null;
  suggestion_commit_message: string | null;
  /** Merge trains are in force: both flags of the project are set and its tier has trains (D8). */
  merge_trains_enabled: boolean;
  merge_trains_skip_train_allowed: boolean;
  /** Status names an entry's pipeline needs, all of them; empty: every name it has. */
  merge_train_required_statuses: string[];
  /** Minutes an entry's pipeline has for its final report, 1 to 1,440. */
  merge_train_timeout: number;
  /** Entries of one train tested at the same time, 1 to 100. */
  merge_train_parallel_cars: number;
  /** How often a failure that would be blamed is first run again, 0 to 3. */
  merge_train_retries: number;
  /** Most entries of a train that are tested together, 1 to 10. */
  merge_train_batch_size: number;
  /** Statuses that an entry's pipeline must have, 0 to 100; 0: not used. */
  merge_train_required_status_count: number;
  /** Seconds without a new status after which a pipeline counts as complete, 0 to 600. */
  merge_train_settling_seconds: number;
  /** Approvals that a merge request needs where its tier has required approvals (G-4.2-8). */
  approvals_before_merge: number;
  merge_requests_author_approval: boolean;
  merge_requests_disable_committers_approval: boolean;
  reset_approvals_on_push: boolean;
  disable_overriding_approvers_per_merge_request: boolean;
}

/** Everything the directory knows of a project. */
export interface DirectoryProjectRow extends ProjectRow, ProjectSettingsRow {
  default_branch: string | null;
  archived: boolean;
  /** True once the project or a group above it is marked for deletion. */
  deleting: boolean;
  avatar_url: string | null;
  creator_id: number | null;
  /** Project it is a fork of; null when the relation was removed or that project is gone. */
  forked_from_project_id: number | null;
  /** Root of its network of forks, also on the root itself; the root may be gone. Null outside of networks. */
  fork_network_id: number | null;
  namespace_kind: string;
  /** Licence tier that applies: that of the top-level group, else the instance's (G-13-16). */
  tier: string;
}

/** The public project reference that to-dos and lists embed. */
export interface ProjectReference {
  id: number;
  name: string;
  name_with_namespace: string;
  path: string;
  path_with_namespace: string;
  web_url: string;
}

/** Full path of a project: that of its namespace and its own. */
export const fullPath = (project: Pick<ProjectRow, 'namespace_full_path' | 'path'>): string =>
  `${project.namespace_full_path}/${project.path}`;

/** Web address of a project. */
export const projectUrl = (project: Pick<ProjectRow, 'namespace_full_path' | 'path'>, externalUrl: string): string =>
  `${externalUrl.replace(/\/+$/, '')}/${fullPath(project)}`;

/** Renders a project reference. */
export const projectReference = (project: ProjectRow, externalUrl: string): ProjectReference => ({
  id: project.id,
  name: project.name,
  name_with_namespace: `${project.namespace_full_name} / ${project.name}`,
  path: project.path,
  path_with_namespace: fullPath(project),
  web_url: projectUrl(project, externalUrl),
});

/** Expression of a project's full path, on the aliases `p` and `n`. */
export const fullPathSql: Sql = sql`(n.full_path || '/' || p.path)`;

const rowColumns = raw(
  'p.id, p.name, p.path, p.namespace_id, n.full_path as namespace_full_path, n.full_name as namespace_full_name, p.visibility',
);

/** Columns `project_id`, `project_name` … of a project on the aliases `p` and `n`; read back by `projectOf`. */
export const projectColumns: Sql = raw(
  [
    'p.id as project_id',
    'p.name as project_name',
    'p.path as project_path',
    'p.namespace_id as project_namespace_id',
    'n.full_path as project_namespace_full_path',
    'n.full_name as project_namespace_full_name',
    'p.visibility as project_visibility',
  ].join(', '),
);

/** The project that `projectColumns` put into a row; undefined when there is none. */
export function projectOf(row: object): ProjectRow | undefined {
  const values = row as Record<string, unknown>;
  if (values.project_path === null || values.project_path === undefined) return undefined;
  return {
    id: values.project_id as number,
    name: values.project_name as string,
    path: values.project_path as string,
    namespace_id: values.project_namespace_id as number,
    namespace_full_path: values.project_namespace_full_path as string,
    namespace_full_name: values.project_namespace_full_name as string,
    visibility: values.project_visibility as string,
  };
}

/**
 * Licence tier that applies in a namespace on the alias `n` (G-13-16), as an expression; `free` where the owner has set
 * none.
 */
export const tierSql: Sql = sql`coalesce((select root.tier from directory.namespaces root where root.id = n.ancestry[1]),
  (select tier from directory.instance), 'free')`;

/**
 * Merge train settings of a project as columns, on the aliases `p` and `n`; `merge_trains_enabled` is what is in force.
 */
export const mergeTrainColumns: Sql = sql`(p.merge_trains_enabled and ${tierSql} <> 'free') as merge_trains_enabled,
  p.merge_trains_skip_train_allowed, p.merge_train_required_statuses, p.merge_train_timeout, p.merge_train_parallel_cars,
  p.merge_train_retries, p.merge_train_batch_size, p.merge_train_required_status_count, p.merge_train_settling_seconds`;

/** Columns of the approval settings of a project, as they are stored, on the alias `p`. */
const approvalColumns = raw(
  'p.approvals_before_merge, p.merge_requests_author_approval, p.merge_requests_disable_committers_approval, p.reset_approvals_on_push, p.disable_overriding_approvers_per_merge_request',
);

const allColumns = sql`${rowColumns}, p.default_branch, p.archived, p.avatar_url, p.creator_id, p.forked_from_project_id,
  p.fork_network_id, n.kind as namespace_kind,
  p.merge_method, p.squash_option, p.only_allow_merge_if_pipeline_succeeds, p.allow_merge_on_skipped_pipeline,
  p.only_allow_merge_if_all_discussions_are_resolved, p.remove_source_branch_after_merge, p.merge_requests_enabled,
  p.issues_enabled, p.repository_access_level, p.monitor_access_level, p.initialize_with_readme, p.merge_commit_template,
  p.squash_commit_template, p.suggestion_commit_message,
  ${mergeTrainColumns}, ${approvalColumns}, ${tierSql} as tier,
  (p.deleting or exists (select 1 from directory.namespaces d
    where d.id = any(n.ancestry) and d.deleting)) as deleting`;

/** Projects by id, whatever the viewer; deleted ones are not found, those being deleted are. */
export async function projectsByIds(db: SqlExecutor, ids: Iterable<number>): Promise<Map<number, DirectoryProjectRow>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await db.query<DirectoryProjectRow>(
    named(
      'directory_projects',
      sql`select ${allColumns} from directory.projects p join directory.namespaces n on n.id = p.namespace_id
    where p.id = any(${unique}::bigint[]) and p.deleted_at is null`,
    ),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A project by id, as `projectsByIds` finds it. */
export const projectById = async (db: SqlExecutor, id: number): Promise<DirectoryProjectRow | undefined> =>
  (await projectsByIds(db, [id])).get(id);

/**
 * A project by full path, without regard to case. Paths it had before are not followed: the gateway does that (G-1-7).
 */
export async function projectByPath(db: SqlExecutor, path: string): Promise<DirectoryProjectRow | undefined> {
  const slash = path.lastIndexOf('/');
  if (slash < 1) return undefined;
  const [row] = await db.query<DirectoryProjectRow>(
    named(
      'directory_project_by_path',
      sql`select ${allColumns} from directory.namespaces n join directory.projects p on p.namespace_id = n.id
    where lower(n.full_path) = ${path.slice(0, slash).toLowerCase()} and lower(p.path) = ${path.slice(slash + 1).toLowerCase()}
      and n.deleted_at is null and p.deleted_at is null`,
    ),
  );
  return row;
}

/** A group or user namespace. */
export interface NamespaceRow {
  id: number;
  kind: string;
  name: string;
  path: string;
  full_path: string;
  full_name: string;
  ancestry: number[];
  visibility: string;
  avatar_url: string | null;
}

/** Id of the group with a full path, without regard to case; undefined when there is none. */
export async function groupByPath(db: SqlExecutor, path: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(
    named(
      'directory_group_by_path',
      sql`select n.id from directory.namespaces n
    where lower(n.full_path) = ${path.toLowerCase()} and n.kind = 'group' and n.deleted_at is null`,
    ),
  );
  return row?.id;
}

/** Namespaces by id, whatever the viewer; deleted ones are not found. */
export async function namespacesByIds(db: SqlExecutor, ids: Iterable<number>): Promise<Map<number, NamespaceRow>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await db.query<NamespaceRow>(sql`
    select n.id, n.kind, n.name, n.path, n.full_path, n.full_name, n.ancestry, n.visibility, n.avatar_url
    from directory.namespaces n where n.id = any(${unique}::bigint[]) and n.deleted_at is null`);
  return new Map(rows.map((row) => [row.id, row]));
}
