import { raw, type Sql, sql } from '@switchyard/database/sql';
import type { AvatarFile } from '../avatars';

/** Settings of a project that an export carries, by the names of the API. */
const settings = raw(`p.name, p.path, p.description, p.visibility, p.default_branch,
  array(select t.name from project_topics pt join topics t on t.id = pt.topic_id where pt.project_id = p.id order by pt.position) as topics, p.archived, p.created_at,
  p.merge_method, p.squash_option, p.only_allow_merge_if_pipeline_succeeds, p.allow_merge_on_skipped_pipeline,
  p.only_allow_merge_if_all_discussions_are_resolved, p.remove_source_branch_after_merge, p.merge_pipelines_enabled,
  p.merge_trains_enabled, p.merge_trains_skip_train_allowed, p.merge_commit_template, p.squash_commit_template,
  p.suggestion_commit_message, p.printing_merge_request_link_enabled, p.resolve_outdated_diff_discussions,
  p.autoclose_referenced_issues, p.approvals_before_merge, p.merge_requests_author_approval,
  p.merge_requests_disable_committers_approval, p.reset_approvals_on_push,
  p.disable_overriding_approvers_per_merge_request, p.issues_access_level, p.merge_requests_access_level,
  p.repository_access_level, p.feature_access_levels, p.lfs_enabled, p.request_access_enabled, p.emails_enabled,
  p.ci_config_path, p.build_timeout, p.auto_cancel_pending_pipelines, p.merge_train_required_statuses,
  p.merge_train_timeout, p.merge_train_parallel_cars, p.merge_train_retries, p.merge_train_batch_size,
  p.merge_train_required_status_count, p.merge_train_settling_seconds`);

/** True for what belongs to the project, or to a group above it. */
const usable = (row: Sql, projectId: number): Sql => sql`(${row}.project_id = ${projectId} or ${row}.namespace_id = any(
  select unnest(n.ancestry) from projects home join namespaces n on n.id = home.namespace_id where home.id = ${projectId}))`;

/** Greater than every id, and together with one still a number that is exact. */
const aboveIds = 2 ** 52;

/**
 * Records of a project by kind. Labels and milestones of the groups above it are among them: what lies in it names them.
 * @param avatarOf the picture of a project; undefined for none
 */
export const recordsOf = (
  avatarOf: (projectId: number) => Promise<AvatarFile | undefined>,
): Readonly<Record<string, (projectId: number) => Sql | Promise<Sql>>> => ({
  async project(projectId) {
    const found = await avatarOf(projectId);
    const avatar = found && JSON.stringify({ filename: found.filename, content: found.content.toString('base64') });
    return sql`
      select p.id, (select to_json(s) from (select ${settings}, ${avatar ?? null}::json as avatar) s) as record
      from projects p where p.id = ${projectId}`;
  },
  labels: (projectId) => sql`
    select l.id, json_build_object('title', l.title, 'color', l.color, 'description', l.description, 'archived', l.archived,
      'priority', (select lp.priority from label_priorities lp where lp.label_id = l.id and lp.project_id = ${projectId}),
      'group', l.namespace_id is not null, 'created_at', l.created_at, 'updated_at', l.updated_at) as record
    from labels l where ${usable(raw('l'), projectId)}`,
  // Those of groups after all of the project: of equal titles that of the project has to come in first.
  milestones: (projectId) => sql`
    select m.id + case when m.namespace_id is null then 0 else ${aboveIds}::bigint end as id, json_build_object('iid', m.iid, 'title', m.title, 'description', m.description, 'state', m.state,
      'start_date', m.start_date, 'due_date', m.due_date, 'group', m.namespace_id is not null,
      'created_at', m.created_at, 'updated_at', m.updated_at) as record
    from milestones m where ${usable(raw('m'), projectId)}`,
  members: (projectId) => sql`
    select m.id, json_build_object('username', u.username, 'name', u.name, 'access_level', m.access_level,
      'expires_at', m.expires_at, 'created_at', m.created_at) as record
    from memberships m join users u on u.id = m.user_id where m.project_id = ${projectId}`,
});
