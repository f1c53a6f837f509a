import { type Sql, sql } from '@switchyard/database/sql';
import {
  exportedEvents,
  exportedLabels,
  exportedMilestone,
  exportedTimelogs,
  exportedUser,
  exportedUsers,
} from '@switchyard/directory';

/** Records of a project by kind. People, labels and milestones are named as everywhere: ids mean nothing elsewhere. */
export const records: Readonly<Record<string, (projectId: number) => Sql>> = {
  merge_requests: (projectId) => sql`
    select m.id, json_build_object('iid', m.iid, 'title', m.title, 'description', m.description, 'state', m.state,
      'draft', m.draft, 'source_branch', m.source_branch, 'target_branch', m.target_branch,
      'from_fork', m.source_project_id <> m.project_id, 'source_sha', m.source_sha, 'target_sha', m.target_sha,
      'author', ${exportedUser(sql`m.author_id`)},
      'assignees', ${exportedUsers(sql`merge_request_assignees link where link.merge_request_id = m.id`)},
      'reviewers', (select coalesce(json_agg(json_build_object('username', ${exportedUser(sql`link.user_id`)},
        'state', link.state, 'created_at', link.created_at) order by link.user_id), '[]')
        from merge_request_reviewers link where link.merge_request_id = m.id),
      'approvals', (select coalesce(json_agg(json_build_object('username', ${exportedUser(sql`link.user_id`)},
        'created_at', link.created_at) order by link.user_id), '[]')
        from merge_request_approvals link where link.merge_request_id = m.id),
      'participants', (select coalesce(json_agg(${exportedUser(sql`link.user_id`)} order by link.created_at, link.user_id), '[]')
        from (select p.* from merge_request_participants p where p.merge_request_id = m.id
          order by p.created_at, p.user_id limit 1000) link),
      'context_commits', (select coalesce(json_agg(json_build_object('sha', c.sha, 'committed_at', c.committed_at)
        order by c.committed_at, c.sha), '[]') from merge_request_context_commits c where c.merge_request_id = m.id),
      'merge_after', m.merge_after, 'approvals_before_merge', m.approvals_before_merge,
      'labels', ${exportedLabels(sql`merge_request_labels link where link.merge_request_id = m.id`)},
      'milestone', ${exportedMilestone(sql`m.milestone_id`)}, 'squash', m.squash,
      'force_remove_source_branch', m.force_remove_source_branch, 'discussion_locked', m.discussion_locked,
      'diffs', (select coalesce(json_agg(json_build_object('base_sha', d.base_sha, 'start_sha', d.start_sha,
        'head_sha', d.head_sha, 'created_at', d.created_at) order by d.id), '[]')
        from merge_request_diffs d where d.merge_request_id = m.id),
      'merge_commit_sha', m.merge_commit_sha, 'squash_commit_sha', m.squash_commit_sha,
      'merged_by', ${exportedUser(sql`m.merge_user_id`)}, 'merged_at', m.merged_at,
      'closed_by', ${exportedUser(sql`m.closed_by_id`)}, 'closed_at', m.closed_at,
      'time_estimate', m.time_estimate, 'total_time_spent', m.total_time_spent,
      'time_logs', ${exportedTimelogs(sql`t.merge_request_id = m.id`)}, 'created_at', m.created_at,
      'updated_at', m.updated_at) as record
    from merge_requests m where m.project_id = ${projectId}`,
  merge_request_events: (projectId) =>
    exportedEvents(sql`merge_requests o where o.project_id = ${projectId}`, sql`e.merge_request_id = o.id`),
  merge_request_blocks: (projectId) => {
    const blocks = sql`merge_request_blocks b join merge_requests blocking on blocking.id = b.blocking_id
      where b.blocked_id = m.id and blocking.project_id = ${projectId}`;
    return sql`
      select m.id, json_build_object('blocked_iid', m.iid, 'blocking_iids', (
        select json_agg(blocking.iid order by b.id) from ${blocks})) as record
      from merge_requests m where m.project_id = ${projectId} and exists (select 1 from ${blocks})`;
  },
  landing_receipts: (projectId) => sql`
    select r.id, json_build_object('merge_request_iid', r.merge_request_iid, 'target_branch', r.target_branch,
      'method', r.method, 'squash', r.squash, 'head_sha', r.head_sha, 'base_sha', r.base_sha, 'tested_sha', r.tested_sha,
      'tested_tree', r.tested_tree, 'pipeline_status', r.pipeline_status, 'statuses', r.statuses,
      'required_statuses', r.required_statuses, 'landed_sha', r.landed_sha, 'landed_tree', r.landed_tree,
      'merge_commit_sha', r.merge_commit_sha, 'squash_commit_sha', r.squash_commit_sha,
      'added_by', ${exportedUser(sql`r.added_by_id`)}, 'boarded_at', r.boarded_at, 'built_at', r.built_at,
      'tested_at', r.tested_at, 'landed_at', r.landed_at, 'batch_iids', r.batch_iids, 'reruns', r.reruns) as record
    from landing_receipts r where r.project_id = ${projectId}`,
  protected_branches: (projectId) => sql`
    select b.id, json_build_object('name', b.name, 'push_access_level', b.push_access_level,
      'merge_access_level', b.merge_access_level, 'allow_force_push', b.allow_force_push) as record
    from protected_branches b where b.project_id = ${projectId}`,
  protected_tags: (projectId) => sql`
    select t.id, json_build_object('name', t.name, 'create_access_level', t.create_access_level) as record
    from protected_tags t where t.project_id = ${projectId}`,
  // Of the groups that a rule names those that are public or above the project: who exports may not see others.
  approval_rules: (projectId) => sql`
    select r.id, json_build_object('merge_request_iid', m.iid, 'source', source.name, 'rule_type', r.rule_type, 'name', r.name,
      'approvals_required', r.approvals_required,
      'applies_to_all_protected_branches', r.applies_to_all_protected_branches,
      'users', ${exportedUsers(sql`approval_rule_users link where link.rule_id = r.id`)},
      'groups', array(
        select n.full_path from approval_rule_groups link join directory.namespaces n on n.id = link.group_id
        where link.rule_id = r.id and n.deleted_at is null and (n.visibility = 'public' or n.id = any(
          select unnest(home.ancestry) from directory.projects p join directory.namespaces home on home.id = p.namespace_id
          where p.id = ${projectId})) order by n.full_path),
      'protected_branches', array(
        select b.name from approval_rule_branches link join protected_branches b on b.id = link.protected_branch_id
        where link.rule_id = r.id order by b.name)) as record
    from approval_rules r left join merge_requests m on m.id = r.merge_request_id
      left join approval_rules source on source.id = r.source_rule_id
    where r.project_id = ${projectId}`,
  environments: (projectId) => sql`
    select en.id, json_build_object('name', en.name, 'description', en.description, 'external_url', en.external_url,
      'tier', en.tier, 'state', en.state, 'auto_stop_at', en.auto_stop_at, 'auto_delete_at', en.auto_delete_at,
      'created_at', en.created_at, 'updated_at', en.updated_at) as record
    from environments en where en.project_id = ${projectId}`,
  deployments: (projectId) => sql`
    select d.id, json_build_object('iid', d.iid, 'environment', en.name, 'user', ${exportedUser(sql`d.user_id`)}, 'sha', d.sha,
      'ref', d.ref, 'tag', d.tag, 'status', d.status, 'last', en.last_deployment_id is not distinct from d.id,
      'merge_request_iids', array(
        select mr.iid from deployment_merge_requests link join merge_requests mr on mr.id = link.merge_request_id
        where link.deployment_id = d.id and mr.project_id = ${projectId} order by mr.iid),
      'created_at', d.created_at, 'updated_at', d.updated_at, 'finished_at', d.finished_at) as record
    from deployments d join environments en on en.id = d.environment_id where d.project_id = ${projectId}`,
  releases: (projectId) => sql`
    select r.id, json_build_object('tag', r.tag, 'name', r.name, 'description', r.description,
      'author', ${exportedUser(sql`r.author_id`)}, 'milestones', array(
        select ms.title from release_milestones link join directory.milestones ms on ms.id = link.milestone_id and ms.deleted_at is null
        where link.release_id = r.id order by ms.title),
      'links', (select coalesce(json_agg(json_build_object('name', li.name, 'url', li.url, 'path', li.path, 'type', li.type)
        order by li.id), '[]') from release_links li where li.release_id = r.id),
      'released_at', r.released_at, 'created_at', r.created_at, 'updated_at', r.updated_at) as record
    from releases r where r.project_id = ${projectId}`,
};
