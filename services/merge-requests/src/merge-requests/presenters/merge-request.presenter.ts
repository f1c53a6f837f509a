import { labelDetails, milestoneReference, projectUrl, type UserReference, userReference } from '@switchyard/directory';
import { type RenderMarkdown, type RenderProjectMarkdown, renderTitle } from '@switchyard/markdown';
import { timeStats } from '@switchyard/texts';
import { dateTime, optionalDateTime } from '../../repositories';
import { detailedMergeStatus, shownMergeStatus } from '../domain/detailed-merge-status';
import { squashes } from '../domain/merge-request';
import { checksOf, fullReference, type MergeRequestView } from '../domain/merge-request-view';

/** How a merge request is rendered. */
export interface MergeRequestRendering {
  readonly externalUrl: string;
  /** References relative to its project (`!1`), or to the instance (`group/project!1`); G-2-8. */
  readonly context: 'project' | 'instance';
  readonly now: Date;
  /** Licence tier: premium features add their fields. */
  readonly tier?: string;
  /** Adds title and description as HTML; one renderer serves a whole reply. */
  readonly html?: RenderProjectMarkdown | undefined;
  /** Shows labels in detail, with their descriptions as HTML; one renderer serves a whole reply. */
  readonly labelHtml?: RenderMarkdown | undefined;
}

/** Web address of a merge request. */
export const mergeRequestUrl = (
  view: { readonly project: MergeRequestView['project']; readonly mergeRequest: { readonly iid: number } },
  externalUrl: string,
): string => `${projectUrl(view.project, externalUrl)}/-/merge_requests/${view.mergeRequest.iid}`;

/** What the short form of a merge request is made of. */
interface SimpleMergeRequest {
  readonly mergeRequest: Pick<
    MergeRequestView['mergeRequest'],
    'id' | 'iid' | 'projectId' | 'title' | 'description' | 'state' | 'createdAt' | 'updatedAt'
  >;
  readonly project: MergeRequestView['project'];
}

/** The fields of `view=simple`, and of a merge request inside other objects (G-2-9). */
export const presentSimpleMergeRequest = (view: SimpleMergeRequest, externalUrl: string) => ({
  id: view.mergeRequest.id,
  iid: view.mergeRequest.iid,
  project_id: view.mergeRequest.projectId,
  title: view.mergeRequest.title,
  description: view.mergeRequest.description ?? null,
  state: view.mergeRequest.state,
  created_at: dateTime(view.mergeRequest.createdAt),
  updated_at: dateTime(view.mergeRequest.updatedAt),
  web_url: mergeRequestUrl(view, externalUrl),
});

/** A merge request as lists print it (api.md section 2, G-2-7). */
export function presentMergeRequest(view: MergeRequestView, rendering: MergeRequestRendering) {
  const { mergeRequest: mr, settings } = view;
  const { externalUrl, now, labelHtml } = rendering;
  const references = new Map<number, UserReference>();
  const user = (id: number | undefined): UserReference | null => {
    const row = id === undefined ? undefined : view.people.get(id);
    if (id === undefined || row === undefined) return null;
    const known = references.get(id) ?? userReference(row, externalUrl);
    references.set(id, known);
    return known;
  };
  const users = (ids: readonly number[]): UserReference[] => ids.flatMap((id) => user(id) ?? []);
  const assignees = users(view.assigneeIds);
  const full = fullReference(view);
  const short = `!${mr.iid}`;
  const relative = rendering.context === 'project' ? short : full;
  const merged = mr.state === 'merged';
  const conflicts = mr.mergeStatus === 'cannot_be_merged' || mr.mergeStatus.startsWith('cannot_be_merged_');
  return {
    id: mr.id,
    iid: mr.iid,
    project_id: mr.projectId,
    title: mr.title,
    description: mr.description ?? null,
    ...(rendering.html === undefined
      ? {}
      : { title_html: renderTitle(mr.title), description_html: rendering.html(mr.description ?? '', mr.projectId) }),
    state: mr.state,
    created_at: dateTime(mr.createdAt),
    updated_at: dateTime(mr.updatedAt),
    merged_by: merged ? user(mr.mergeUserId) : null,
    merge_user: user(mr.mergeUserId),
    merged_at: optionalDateTime(mr.mergedAt),
    merge_after: optionalDateTime(mr.mergeAfter),
    closed_by: user(mr.closedById),
    closed_at: optionalDateTime(mr.closedAt),
    prepared_at: optionalDateTime(mr.preparedAt),
    target_branch: mr.targetBranch,
    source_branch: mr.sourceBranch,
    user_notes_count: view.readsInternalNotes ? mr.userNotesCount : mr.userNotesCount - mr.internalNotesCount,
    upvotes: mr.upvotes,
    downvotes: mr.downvotes,
    author: user(mr.authorId),
    assignee: assignees[0] ?? null,
    assignees,
    reviewers: users(view.reviewerIds),
    source_project_id: view.sourceProjectId ?? null,
    target_project_id: mr.projectId,
    labels:
      labelHtml === undefined
        ? view.labels.map((label) => label.title)
        : view.labels.map((label) => labelDetails(label, labelHtml)),
    draft: mr.draft,
    work_in_progress: mr.draft,
    imported: mr.importedFrom !== 'none',
    imported_from: mr.importedFrom,
    milestone: view.milestone === undefined ? null : milestoneReference(view.milestone, view.project, externalUrl, now),
    merge_when_pipeline_succeeds: mr.autoMergeStrategy !== undefined,
    merge_status: shownMergeStatus(mr.mergeStatus),
    detailed_merge_status: detailedMergeStatus(checksOf(view), now),
    sha: mr.sourceSha ?? null,
    merge_commit_sha: mr.mergeCommitSha ?? null,
    squash_commit_sha: mr.squashCommitSha ?? null,
    discussion_locked: mr.discussionLocked ?? null,
    should_remove_source_branch: mr.shouldRemoveSourceBranch ?? null,
    force_remove_source_branch: mr.forceRemoveSourceBranch ?? null,
    ...(mr.sourceProjectId === mr.projectId
      ? {}
      : { allow_collaboration: view.collaborates, allow_maintainer_to_push: view.collaborates }),
    reference: relative,
    references: { short, relative, full },
    web_url: mergeRequestUrl(view, externalUrl),
    time_stats: timeStats(mr),
    squash: mr.squash,
    squash_on_merge: squashes(settings.squashOption, mr.squash),
    task_completion_status: { count: mr.taskCount, completed_count: mr.completedTaskCount },
    has_conflicts: conflicts,
    blocking_discussions_resolved:
      !settings.onlyAllowMergeIfAllDiscussionsAreResolved || mr.unresolvedDiscussionsCount === 0,
    ...(rendering.tier === 'free' ? {} : { approvals_before_merge: mr.approvalsBeforeMerge ?? null }),
  };
}
