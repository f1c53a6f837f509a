import { given, type SqlExecutor } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import {
  type AttachedLabel,
  type AttachedMilestone,
  joinProject,
  labelsJson,
  memberProjects,
  milestoneJson,
  peopleJson,
  projectColumns,
  projectOf,
  type UserRow,
  type Viewer,
} from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import { type AttachedEpic, attachedEpic } from '../../epic-trees';
import { readableMergeRequests } from '../../merge-requests';
import type { Issue, IssueSeverity, IssueState, IssueType } from '../domain/issue';
import type { IssueKey } from '../domain/issue-query';
import type { IssueView } from '../domain/issue-view';

interface Row extends Record<string, unknown> {
  id: number;
  people: Record<string, UserRow> | null;
  assignee_ids: number[];
  labels: AttachedLabel[];
  milestone: AttachedMilestone | null;
  epic: AttachedEpic | null;
  merge_requests_count: number;
}

// Subselects in the select list run for the rows of the page alone, after the limit.
const people = peopleJson(sql`array[i.author_id, i.closed_by_id]
  || array(select a.user_id from issue_assignees a where a.issue_id = i.id)`);

/** Columns of `issues i` as `toIssue` reads them; the date as text, which has no zone to lose. */
export const issueColumns: Sql = sql`i.*, i.due_date::text as due_on`;

// Under the same condition as their list, so that the number does not reveal what the list hides.
const closingMergeRequests = (viewer: Viewer): Sql => sql`(
  select count(*)::int from issue_merge_requests mr ${joinProject(sql`mr.merge_request_project_id`)}
  where mr.project_id = i.project_id and mr.iid = i.iid and mr.closes and not mr.closed and ${readableMergeRequests(viewer)})`;

/** Notes that a viewer may count: internal ones are for Reporters and above (G-4.6-9). */
const shownNotes = (viewer: Viewer): Sql =>
  viewer.admin
    ? sql`i.user_notes_count`
    : sql`case when i.internal_notes_count = 0 or ${memberProjects(viewer, levels.reporter)} then i.user_notes_count
        else i.user_notes_count - i.internal_notes_count end`;

/** Select list of a view for a viewer; on the aliases of `issueFrom`. */
export const issueSelect = (viewer: Viewer): Sql => sql`${issueColumns}, ${projectColumns},
  array(select a.user_id from issue_assignees a join directory.users who on who.id = a.user_id and who.deleted_at is null
    where a.issue_id = i.id order by a.created_at, a.user_id) as assignee_ids,
  ${people} as people, ${labelsJson(sql`array(select il.label_id from issue_labels il where il.issue_id = i.id)`)} as labels,
  ${milestoneJson(sql`i.milestone_id`)} as milestone, ${attachedEpic(sql`i.id`, viewer)} as epic,
  ${closingMergeRequests(viewer)} as merge_requests_count, ${shownNotes(viewer)} as shown_notes_count`;

/** Issues `i` with their projects `p` and namespaces `n`. */
export const issueFrom: Sql = sql`issues i ${joinProject(sql`i.project_id`)}`;

/** A row of `issueColumns` as the domain has it. */
export const toIssue = (row: Record<string, unknown>): Issue => ({
  id: row.id as number,
  iid: row.iid as number,
  projectId: row.project_id as number,
  authorId: row.author_id as number,
  title: row.title as string,
  description: given(row.description),
  state: row.state as IssueState,
  issueType: row.issue_type as IssueType,
  confidential: row.confidential as boolean,
  severity: row.severity as IssueSeverity,
  discussionLocked: given(row.discussion_locked),
  milestoneId: given(row.milestone_id),
  dueDate: given(row.due_on),
  weight: given(row.weight),
  healthStatus: given(row.health_status),
  timeEstimate: row.time_estimate as number,
  totalTimeSpent: row.total_time_spent as number,
  taskCount: row.task_count as number,
  completedTaskCount: row.completed_task_count as number,
  userNotesCount: (row.shown_notes_count ?? row.user_notes_count) as number,
  upvotes: row.upvotes as number,
  downvotes: row.downvotes as number,
  closedById: given(row.closed_by_id),
  closedAt: given(row.closed_at),
  movedToId: given(row.moved_to_id),
  importedFrom: row.imported_from as string,
  alertId: given(row.alert_id),
  lockVersion: row.lock_version as number,
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});

/** A row of `issueSelect` as a view. */
export function toIssueView(found: Record<string, unknown>): IssueView {
  const row = found as Row;
  const project = projectOf(row);
  if (project === undefined) throw new Error(`issue ${row.id} has no project`);
  return {
    issue: toIssue(row),
    project,
    people: new Map(Object.entries(row.people ?? {}).map(([id, user]) => [Number(id), user])),
    assigneeIds: row.assignee_ids,
    labels: row.labels,
    milestone: row.milestone ?? undefined,
    epic: row.epic ?? undefined,
    mergeRequestsCount: row.merge_requests_count,
  };
}

const has = (key: IssueKey): Sql =>
  'id' in key ? sql`i.id = ${key.id}` : sql`i.project_id = ${key.projectId} and i.iid = ${key.iid}`;

/** One issue that meets a condition with what it embeds; undefined when there is none. */
export async function readIssueView(
  db: SqlExecutor,
  key: IssueKey,
  viewer: Viewer,
  visible: Sql,
): Promise<IssueView | undefined> {
  const [row] = await db.query(
    named('find_issue', sql`select ${issueSelect(viewer)} from ${issueFrom} where ${has(key)} and ${visible}`),
  );
  return row === undefined ? undefined : toIssueView(row);
}
