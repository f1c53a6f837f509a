import { type Sql, sql } from '@switchyard/database/sql';
import {
  exportedEvents,
  exportedLabels,
  exportedMilestone,
  exportedTimelogs,
  exportedUser,
  exportedUsers,
} from '@switchyard/directory';

/** Who takes part in rows `i` of `issues`, or by internal notes alone: as many as a reader takes. */
const participants = (internal: boolean): Sql =>
  exportedUsers(sql`(select p.user_id from issue_participants p where p.issue_id = i.id and p.internal = ${internal}::boolean
    order by p.user_id limit 1000) link`);

/** Reactions to what a condition on rows `a` of `award_emoji` names. */
const emoji = (on: Sql): Sql => sql`(
  select json_agg(json_build_object('name', a.name, 'user', ${exportedUser(sql`a.user_id`)}, 'created_at', a.created_at)
    order by a.id) from award_emoji a where ${on})`;

/** Those of the rows `o` that have reactions. @param number what names such a row in an export */
function withEmoji(type: string, number: Sql, from: Sql): Sql {
  const on = sql`a.awardable_type = ${type} and a.awardable_id = o.id`;
  return sql`
    select o.id, json_build_object('on', ${number}, 'award_emoji', ${emoji(on)}) as record
    from ${from} and exists (select 1 from award_emoji a where ${on})`;
}

/** Records of a project by kind. People, labels and milestones are named as everywhere: ids mean nothing elsewhere. */
export const records: Readonly<Record<string, (projectId: number) => Sql>> = {
  issues: (projectId) => sql`
    select i.id, json_build_object('iid', i.iid, 'title', i.title, 'description', i.description, 'state', i.state,
      'issue_type', i.issue_type, 'confidential', i.confidential, 'severity', i.severity,
      'discussion_locked', i.discussion_locked, 'author', ${exportedUser(sql`i.author_id`)},
      'assignees', ${exportedUsers(sql`issue_assignees link where link.issue_id = i.id`)},
      'participants', ${participants(false)}, 'internal_participants', ${participants(true)},
      'labels', ${exportedLabels(sql`issue_labels link where link.issue_id = i.id`)},
      'milestone', ${exportedMilestone(sql`i.milestone_id`)}, 'due_date', i.due_date, 'weight', i.weight,
      'health_status', i.health_status, 'time_estimate', i.time_estimate, 'total_time_spent', i.total_time_spent,
      'time_logs', ${exportedTimelogs(sql`t.issue_id = i.id`)},
      'closed_by', ${exportedUser(sql`i.closed_by_id`)}, 'closed_at', i.closed_at, 'created_at', i.created_at,
      'updated_at', i.updated_at) as record
    from issues i where i.project_id = ${projectId}`,
  issue_events: (projectId) => exportedEvents(sql`issues o where o.project_id = ${projectId}`, sql`e.issue_id = o.id`),
  issue_emoji: (projectId) => withEmoji('Issue', sql`o.iid`, sql`issues o where o.project_id = ${projectId}`),
  merge_request_emoji: (projectId) =>
    withEmoji('MergeRequest', sql`o.iid`, sql`merge_request_numbers o where o.project_id = ${projectId}`),
  snippet_emoji: (projectId) => withEmoji('Snippet', sql`o.id`, sql`snippets o where o.project_id = ${projectId}`),
  note_emoji: (projectId) => withEmoji('Note', sql`o.id`, sql`notes o where o.project_id = ${projectId}`),
  // What says where a note is, is its noteable's number, or the sha of a commit. A note that another object caused shows that object,
  // which who exports may not see where it lies elsewhere.
  notes: (projectId) => sql`
    select n.id, json_build_object('id', n.id, 'noteable_type', c.kind, 'noteable_iid', coalesce(i.iid, mr.iid),
      'commit_id', nullif(c.sha, ''), 'snippet', case when c.kind = 'Snippet' then c.target_id end,
      'discussion_id', encode(n.discussion_id, 'hex'), 'starts_discussion', n.starts_discussion, 'type', n.type,
      'author', ${exportedUser(sql`n.author_id`)}, 'body', n.body, 'system', n.system, 'action', n.action,
      'internal', n.internal, 'original_position', n.original_position, 'position', n.position,
      'resolved_by', ${exportedUser(sql`n.resolved_by_id`)}, 'resolved_at', n.resolved_at, 'suggestions', (
        select coalesce(json_agg(json_build_object('lines_above', s.lines_above, 'lines_below', s.lines_below,
          'from_content', s.from_content, 'to_content', s.to_content, 'commit_sha', s.commit_sha) order by s.place), '[]')
        from suggestions s where s.note_id = n.id),
      'created_at', n.created_at, 'updated_at', n.updated_at) as record
    from notes n join noteables c on c.id = n.noteable_id and c.removed_at is null
      left join issues i on c.kind = 'Issue' and i.id = c.target_id
      left join merge_request_numbers mr on c.kind = 'MergeRequest' and mr.project_id = c.project_id and mr.id = c.target_id
    where n.project_id = ${projectId} and c.kind in ('Issue', 'MergeRequest', 'Commit', 'Snippet')
      and (n.source_kind is null or (n.source_kind <> 'Epic' and n.source_project_id = ${projectId}))`,
  snippets: (projectId) => sql`
    select s.id, json_build_object('id', s.id, 'title', s.title, 'description', s.description, 'visibility', s.visibility,
      'author', ${exportedUser(sql`s.author_id`)}, 'files', (
        select json_agg(json_build_object('path', f.path, 'content', f.content) order by f.place)
        from snippet_files f where f.snippet_id = s.id),
      'created_at', s.created_at, 'updated_at', s.updated_at) as record
    from snippets s where s.project_id = ${projectId}`,
};
