import { labelDetails, milestoneReference, projectUrl, type UserReference, userReference } from '@switchyard/directory';
import { type RenderMarkdown, type RenderProjectMarkdown, renderTitle } from '@switchyard/markdown';
import { timeStats } from '@switchyard/texts';
import type { AttachedEpic } from '../../epic-trees';
import { type IssueView, issueReference } from '../domain/issue-view';

/** How an issue is rendered. */
export interface IssueRendering {
  readonly externalUrl: string;
  /** References relative to its project (`#1`), or to the instance (`group/project#1`); G-2-8. */
  readonly context: 'project' | 'instance';
  readonly now: Date;
  /** Licence tier: premium features add their fields. */
  readonly tier?: string;
  /** Adds title and description as HTML; one renderer serves a whole reply. */
  readonly html?: RenderProjectMarkdown | undefined;
  /** Shows labels in detail, with their descriptions as HTML; one renderer serves a whole reply. */
  readonly labelHtml?: RenderMarkdown | undefined;
}

/** Web address of an issue. */
export const issueUrl = ({ project, issue }: Pick<IssueView, 'project' | 'issue'>, externalUrl: string): string =>
  `${projectUrl(project, externalUrl)}/-/issues/${issue.iid}`;

const epicInIssue = ({ id, iid, title, group_id, group_path }: AttachedEpic) => ({
  id,
  iid,
  title,
  url: `/groups/${group_path}/-/epics/${iid}`,
  group_id,
});

/** Fields of features that a licence has; absent without it. */
function tierFields({ issue, epic }: IssueView, tier: string | undefined) {
  if (tier === 'free') return {};
  const premium = {
    weight: issue.weight ?? null,
    epic_iid: epic?.iid ?? null,
    epic: epic === undefined ? null : epicInIssue(epic),
    iteration: null,
  };
  return tier === 'premium' ? premium : { ...premium, health_status: issue.healthStatus ?? null };
}

/** An issue as lists print it (G §10 Issues). */
export function presentIssue(view: IssueView, rendering: IssueRendering) {
  const { issue } = view;
  const { externalUrl, now, labelHtml } = rendering;
  const references = new Map<number, UserReference>();
  const user = (id: number | undefined): UserReference | null => {
    const row = id === undefined ? undefined : view.people.get(id);
    if (id === undefined || row === undefined) return null;
    const known = references.get(id) ?? userReference(row, externalUrl);
    references.set(id, known);
    return known;
  };
  const assignees = view.assigneeIds.flatMap((id) => user(id) ?? []);
  const short = `#${issue.iid}`;
  const full = issueReference(view);
  const project = `${externalUrl}/api/v4/projects/${issue.projectId}`;
  const self = `${project}/issues/${issue.iid}`;
  const { taskCount, completedTaskCount } = issue;
  return {
    id: issue.id,
    iid: issue.iid,
    project_id: issue.projectId,
    title: issue.title,
    description: issue.description ?? null,
    ...(rendering.html === undefined
      ? {}
      : {
          title_html: renderTitle(issue.title),
          description_html: rendering.html(issue.description ?? '', issue.projectId),
        }),
    state: issue.state,
    created_at: issue.createdAt.toISOString(),
    updated_at: issue.updatedAt.toISOString(),
    closed_at: issue.closedAt?.toISOString() ?? null,
    closed_by: user(issue.closedById),
    labels:
      labelHtml === undefined
        ? view.labels.map(({ title }) => title)
        : view.labels.map((label) => labelDetails(label, labelHtml)),
    milestone: view.milestone === undefined ? null : milestoneReference(view.milestone, view.project, externalUrl, now),
    assignees,
    author: user(issue.authorId),
    type: issue.issueType.toUpperCase(),
    assignee: assignees[0] ?? null,
    user_notes_count: issue.userNotesCount,
    merge_requests_count: view.mergeRequestsCount,
    upvotes: issue.upvotes,
    downvotes: issue.downvotes,
    due_date: issue.dueDate ?? null,
    confidential: issue.confidential,
    discussion_locked: issue.discussionLocked ?? null,
    issue_type: issue.issueType,
    web_url: issueUrl(view, externalUrl),
    time_stats: timeStats(issue),
    task_completion_status: { count: taskCount, completed_count: completedTaskCount },
    ...tierFields(view, rendering.tier),
    blocking_issues_count: 0,
    has_tasks: taskCount > 0,
    ...(taskCount > 0 ? { task_status: `${completedTaskCount} of ${taskCount} checklist items completed` } : {}),
    _links: {
      self,
      notes: `${self}/notes`,
      award_emoji: `${self}/award_emoji`,
      project,
      closed_as_duplicate_of: null,
    },
    references: { short, relative: rendering.context === 'project' ? short : full, full },
    severity: issue.severity.toUpperCase(),
    moved_to_id: issue.movedToId ?? null,
    imported: issue.importedFrom !== 'none',
    imported_from: issue.importedFrom,
    service_desk_reply_to: null,
  };
}
