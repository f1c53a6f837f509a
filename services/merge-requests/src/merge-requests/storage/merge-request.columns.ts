import { raw, type Sql } from '@switchyard/database/sql';
import type { MergeRequestPatch } from '../domain/merge-request-change';

/** Column of each field a change may set. */
export const patchColumns: Record<keyof MergeRequestPatch, string> = {
  sourceProjectId: 'source_project_id',
  sourceBranch: 'source_branch',
  targetBranch: 'target_branch',
  authorId: 'author_id',
  title: 'title',
  description: 'description',
  state: 'state',
  draft: 'draft',
  taskCount: 'task_count',
  completedTaskCount: 'completed_task_count',
  sourceSha: 'source_sha',
  targetSha: 'target_sha',
  sourceBranchExists: 'source_branch_exists',
  mergeStatus: 'merge_status',
  mergeStatusGeneration: 'merge_status_generation',
  needsRebase: 'needs_rebase',
  mergeError: 'merge_error',
  rebaseInProgress: 'rebase_in_progress',
  squash: 'squash',
  forceRemoveSourceBranch: 'force_remove_source_branch',
  shouldRemoveSourceBranch: 'should_remove_source_branch',
  allowCollaboration: 'allow_collaboration',
  approvalsBeforeMerge: 'approvals_before_merge',
  discussionLocked: 'discussion_locked',
  milestoneId: 'milestone_id',
  mergeAfter: 'merge_after',
  preparedAt: 'prepared_at',
  autoMergeStrategy: 'auto_merge_strategy',
  autoMergeUserId: 'auto_merge_user_id',
  autoMergeSha: 'auto_merge_sha',
  mergeCommitMessage: 'merge_commit_message',
  squashCommitMessage: 'squash_commit_message',
  mergeCommitSha: 'merge_commit_sha',
  squashCommitSha: 'squash_commit_sha',
  mergeUserId: 'merge_user_id',
  mergedAt: 'merged_at',
  closedById: 'closed_by_id',
  closedAt: 'closed_at',
  headPipelineId: 'head_pipeline_id',
  latestDiffId: 'latest_diff_id',
  changesCount: 'changes_count',
  userNotesCount: 'user_notes_count',
  internalNotesCount: 'internal_notes_count',
  upvotes: 'upvotes',
  downvotes: 'downvotes',
  unresolvedDiscussionsCount: 'unresolved_discussions_count',
  timeEstimate: 'time_estimate',
  totalTimeSpent: 'total_time_spent',
  importedFrom: 'imported_from',
  updatedAt: 'updated_at',
};

/**
 * Columns of `toMergeRequest` without the description, which may have a megabyte: what works on many rows leaves it
 * out.
 */
export const leanColumns = (alias: string): Sql =>
  raw(
    ['id', 'iid', 'project_id', 'lock_version', 'created_at', ...Object.values(patchColumns)]
      .map((column) => (column === 'description' ? 'null::text as description' : `${alias}.${column}`))
      .join(', '),
  );
/** `leanColumns` of the table by its own name. */
export const lean = leanColumns('merge_requests');
