import { hookLabel, type ProjectRow, projectUrl } from '@switchyard/directory';
import type { HookFacts, HookIssue } from '../domain/hook-facts';
import { stateId } from '../domain/issue-changes';

/** The issue of a body, `object_attributes` of its own and the part `issue` of a note (G-6-4). */
export const issuePart = (issue: HookIssue, project: ProjectRow, facts: HookFacts, externalUrl: string) => ({
  id: issue.id,
  iid: issue.iid,
  project_id: issue.project_id,
  author_id: issue.author_id,
  title: issue.title,
  description: issue.description ?? '',
  state: issue.state,
  state_id: stateId(issue.state),
  type: issue.issue_type.charAt(0).toUpperCase() + issue.issue_type.slice(1),
  confidential: issue.confidential,
  severity: issue.severity,
  discussion_locked: issue.discussion_locked,
  milestone_id: issue.milestone_id,
  due_date: issue.due_on,
  weight: issue.weight,
  health_status: issue.health_status,
  time_estimate: issue.time_estimate,
  total_time_spent: issue.total_time_spent,
  closed_at: issue.closed_at,
  moved_to_id: issue.moved_to_id,
  duplicated_to_id: null,
  created_at: issue.created_at,
  updated_at: issue.updated_at,
  url: `${projectUrl(project, externalUrl)}/-/issues/${issue.iid}`,
  assignee_ids: issue.assignee_ids,
  assignee_id: issue.assignee_ids[0] ?? null,
  labels: issue.label_ids.flatMap((id) => facts.labels.get(id) ?? []).map(hookLabel),
});
