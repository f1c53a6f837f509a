import { given, type SqlExecutor } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import {
  type AttachedLabel,
  type AttachedMilestone,
  joinProject,
  labelsJson,
  memberProjects,
  mergeTrainColumns,
  milestoneJson,
  peopleJson,
  projectColumns,
  projectOf,
  type UserRow,
  type Viewer,
} from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import type { PipelineStatus } from '../../pipelines';
import type { MergeRequest, MergeRequestState, MergeStatus, ProjectMergeSettings } from '../domain/merge-request';
import type { MergeRequestView } from '../domain/merge-request-view';
import { type ApprovalFactsRow, approvalFactsJson, toApprovalFacts } from './approval-facts';
import { openBlocks } from './merge-request-block.store';

interface Row extends Record<string, unknown> {
  id: number;
  iid: number;
  project_id: number;
  people: Record<string, UserRow> | null;
  assignee_ids: number[];
  reviewer_ids: number[];
  labels: AttachedLabel[];
  milestone: AttachedMilestone | null;
  head_pipeline_status: PipelineStatus | null;
  changes_requested: boolean;
  approval: ApprovalFactsRow;
  open_blocks: number;
  reads_internal_notes: boolean;
  collaborates: boolean;
}

// Subselects in the select list run for the rows of the page alone, after the limit.
const people = peopleJson(sql`array[mr.author_id, mr.merge_user_id, mr.closed_by_id]
  || array(select a.user_id from merge_request_assignees a where a.merge_request_id = mr.id)
  || array(select r.user_id from merge_request_reviewers r where r.merge_request_id = mr.id)`);

/**
 * Whether `allow_collaboration` takes effect, as `canCollaborate` of the domain decides; the case keeps the rest from
 * being read where it was not allowed.
 */
const collaborates: Sql = sql`case when mr.allow_collaboration and mr.source_project_id <> mr.project_id
    and p.visibility <> 'private' then coalesce((
  select source.visibility <> 'private' and (select count(*) from protected_branches rule
    where rule.project_id = source.id and mr.source_branch like
      replace(replace(replace(replace(rule.name, '\\', '\\\\'), '%', '\\%'), '_', '\\_'), '*', '%')) = 0
  from directory.projects source where source.id = mr.source_project_id and source.deleted_at is null), false)
  else false end`;

/**
 * Columns of a view; on the aliases of `mergeRequestFrom`. No `exists` here: PostgreSQL may answer one by reading the
 * whole of its table once and hashing it (12 ms with 200,000 reviewers, measured), which an aggregate rules out.
 */
const columns: Sql = sql`mr.*, ${projectColumns}, p.merge_method, p.squash_option,
  p.only_allow_merge_if_pipeline_succeeds, p.allow_merge_on_skipped_pipeline,
  p.only_allow_merge_if_all_discussions_are_resolved, p.remove_source_branch_after_merge, p.merge_requests_enabled,
  p.merge_commit_template, p.squash_commit_template, p.suggestion_commit_message, ${mergeTrainColumns},
  (select d.commits_count from merge_request_diffs d where d.id = mr.latest_diff_id) as commits_count,
  (select source.id from directory.projects source where source.id = mr.source_project_id and source.deleted_at is null) as living_source_id,
  (select hp.status from pipelines hp where hp.id = mr.head_pipeline_id) as head_pipeline_status,
  coalesce((select bool_or(cr.state = 'requested_changes') from merge_request_reviewers cr
    where cr.merge_request_id = mr.id), false) as changes_requested,
  ${approvalFactsJson} as approval,
  ${openBlocks} as open_blocks,
  array(select a.user_id from merge_request_assignees a join directory.users who on who.id = a.user_id and who.deleted_at is null
    where a.merge_request_id = mr.id order by a.created_at, a.user_id) as assignee_ids,
  array(select r.user_id from merge_request_reviewers r join directory.users who on who.id = r.user_id and who.deleted_at is null
    where r.merge_request_id = mr.id order by r.created_at, r.user_id) as reviewer_ids,
  ${collaborates} as collaborates,
  ${people} as people,
  ${labelsJson(sql`array(select ml.label_id from merge_request_labels ml where ml.merge_request_id = mr.id)`)} as labels,
  ${milestoneJson(sql`mr.milestone_id`)} as milestone`;

/**
 * Select list of a view for a viewer; without one internal notes are not read.
 * On the aliases of `mergeRequestFrom`.
 */
export const mergeRequestSelect = (viewer: Viewer | undefined): Sql => {
  const reads = viewer === undefined ? sql`false` : viewer.admin ? sql`true` : memberProjects(viewer, levels.reporter);
  return sql`${columns}, ${reads} as reads_internal_notes`;
};

/** Merge requests `mr` with their projects `p` and namespaces `n`. */
export const mergeRequestFrom: Sql = sql`merge_requests mr ${joinProject(sql`mr.project_id`)}`;

/** A row of `merge_requests` as the domain has it. */
export function toMergeRequest(row: Record<string, unknown>): MergeRequest {
  return {
    id: row.id as number,
    iid: row.iid as number,
    projectId: row.project_id as number,
    sourceProjectId: row.source_project_id as number,
    sourceBranch: row.source_branch as string,
    targetBranch: row.target_branch as string,
    authorId: row.author_id as number,
    title: row.title as string,
    description: given(row.description),
    state: row.state as MergeRequestState,
    draft: row.draft as boolean,
    taskCount: row.task_count as number,
    completedTaskCount: row.completed_task_count as number,
    sourceSha: given(row.source_sha),
    targetSha: given(row.target_sha),
    sourceBranchExists: row.source_branch_exists as boolean,
    mergeStatus: row.merge_status as MergeStatus,
    mergeStatusGeneration: row.merge_status_generation as number,
    needsRebase: row.needs_rebase as boolean,
    mergeError: given(row.merge_error),
    rebaseInProgress: row.rebase_in_progress as boolean,
    squash: row.squash as boolean,
    forceRemoveSourceBranch: given(row.force_remove_source_branch),
    shouldRemoveSourceBranch: given(row.should_remove_source_branch),
    allowCollaboration: row.allow_collaboration as boolean,
    approvalsBeforeMerge: given(row.approvals_before_merge),
    discussionLocked: given(row.discussion_locked),
    milestoneId: given(row.milestone_id),
    mergeAfter: given(row.merge_after),
    preparedAt: given(row.prepared_at),
    autoMergeStrategy: given(row.auto_merge_strategy),
    autoMergeUserId: given(row.auto_merge_user_id),
    autoMergeSha: given(row.auto_merge_sha),
    mergeCommitMessage: given(row.merge_commit_message),
    squashCommitMessage: given(row.squash_commit_message),
    mergeCommitSha: given(row.merge_commit_sha),
    squashCommitSha: given(row.squash_commit_sha),
    mergeUserId: given(row.merge_user_id),
    mergedAt: given(row.merged_at),
    closedById: given(row.closed_by_id),
    closedAt: given(row.closed_at),
    headPipelineId: given(row.head_pipeline_id),
    latestDiffId: given(row.latest_diff_id),
    changesCount: given(row.changes_count),
    userNotesCount: row.user_notes_count as number,
    internalNotesCount: row.internal_notes_count as number,
    upvotes: row.upvotes as number,
    downvotes: row.downvotes as number,
    unresolvedDiscussionsCount: row.unresolved_discussions_count as number,
    timeEstimate: row.time_estimate as number,
    totalTimeSpent: row.total_time_spent as number,
    importedFrom: row.imported_from as string,
    lockVersion: row.lock_version as number,
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
  };
}

/** Merge settings from the columns of a directory project. */
export const toMergeSettings = (row: object): ProjectMergeSettings => {
  const columns = row as Record<string, unknown>;
  return {
    mergeMethod: columns.merge_method as ProjectMergeSettings['mergeMethod'],
    squashOption: columns.squash_option as ProjectMergeSettings['squashOption'],
    onlyAllowMergeIfPipelineSucceeds: columns.only_allow_merge_if_pipeline_succeeds as boolean,
    allowMergeOnSkippedPipeline: columns.allow_merge_on_skipped_pipeline as boolean,
    onlyAllowMergeIfAllDiscussionsAreResolved: columns.only_allow_merge_if_all_discussions_are_resolved as boolean,
    removeSourceBranchAfterMerge: columns.remove_source_branch_after_merge as boolean,
    mergeRequestsEnabled: columns.merge_requests_enabled as boolean,
    mergeCommitTemplate: given(columns.merge_commit_template),
    squashCommitTemplate: given(columns.squash_commit_template),
    suggestionCommitMessage: given(columns.suggestion_commit_message),
    mergeTrains: {
      enabled: columns.merge_trains_enabled as boolean,
      skipAllowed: columns.merge_trains_skip_train_allowed as boolean,
      requiredStatuses: columns.merge_train_required_statuses as string[],
      timeoutMinutes: columns.merge_train_timeout as number,
      parallelCars: columns.merge_train_parallel_cars as number,
      retries: columns.merge_train_retries as number,
      batchSize: columns.merge_train_batch_size as number,
      requiredStatusCount: columns.merge_train_required_status_count as number,
      settlingSeconds: columns.merge_train_settling_seconds as number,
    },
  };
};

/** A row of `mergeRequestSelect` as a view. */
export function toView(found: Record<string, unknown>): MergeRequestView {
  const row = found as Row;
  const project = projectOf(row);
  if (project === undefined) throw new Error(`merge request ${row.id} has no project`);
  return {
    mergeRequest: toMergeRequest(row),
    project,
    settings: toMergeSettings(row),
    people: new Map(Object.entries(row.people ?? {}).map(([id, user]) => [Number(id), user])),
    assigneeIds: row.assignee_ids,
    reviewerIds: row.reviewer_ids,
    labels: row.labels,
    milestone: row.milestone ?? undefined,
    pipelineStatus: row.head_pipeline_status ?? undefined,
    changesRequested: row.changes_requested,
    approval: toApprovalFacts(row.approval),
    openBlocks: row.open_blocks,
    readsInternalNotes: row.reads_internal_notes,
    collaborates: row.collaborates,
    commitsCount: given(row.commits_count),
    sourceProjectId: given(row.living_source_id),
  };
}

/** One merge request with what it embeds; undefined when there is none. */
export async function readView(
  db: SqlExecutor,
  key: { id: number } | { projectId: number; iid: number },
  viewer?: Viewer,
): Promise<MergeRequestView | undefined> {
  const which = 'id' in key ? sql`mr.id = ${key.id}` : sql`mr.project_id = ${key.projectId} and mr.iid = ${key.iid}`;
  const [row] = await db.query(
    named('find_merge_request', sql`select ${mergeRequestSelect(viewer)} from ${mergeRequestFrom} where ${which}`),
  );
  return row === undefined ? undefined : toView(row);
}
