import type { AttachedLabel, AttachedMilestone, ProjectRow, UserRow } from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import type { PipelineStatus } from '../../pipelines';
import { type ApprovalFacts, approvalsLeft } from './approvals';
import type { MergeChecks } from './detailed-merge-status';
import type { MergeRequest, ProjectMergeSettings } from './merge-request';

/** A merge request with everything its public representation embeds, from one statement. */
export interface MergeRequestView {
  readonly mergeRequest: MergeRequest;
  readonly project: ProjectRow;
  readonly settings: ProjectMergeSettings;
  /** Users by the id the row carries; a deleted user's id gives the ghost. */
  readonly people: ReadonlyMap<number, UserRow>;
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
  readonly labels: readonly AttachedLabel[];
  readonly milestone: AttachedMilestone | undefined;
  readonly pipelineStatus: PipelineStatus | undefined;
  readonly changesRequested: boolean;
  readonly approval: ApprovalFacts;
  /** Merge requests that have to be merged before and are not. */
  readonly openBlocks: number;
  /** Whether the viewer reads internal notes in its project; false where it was read for no viewer. */
  readonly readsInternalNotes: boolean;
  /** Commits the source branch had beyond the target branch at the last push; undefined when that was not counted. */
  readonly commitsCount: number | undefined;
  /** Those who may merge it may push to its source branch now: it was allowed, and can take effect. */
  readonly collaborates: boolean;
  /** Project of the source branch; undefined once it is deleted for good. */
  readonly sourceProjectId: number | undefined;
}

/** What `detailed_merge_status` is decided from. */
export const checksOf = (view: MergeRequestView): MergeChecks => ({
  state: view.mergeRequest.state,
  mergeStatus: view.mergeRequest.mergeStatus,
  draft: view.mergeRequest.draft,
  changesRequested: view.changesRequested,
  approvalsLeft: approvalsLeft(view.mergeRequest, view.approval),
  openBlocks: view.openBlocks,
  mergeAfter: view.mergeRequest.mergeAfter,
  hasCommits:
    view.mergeRequest.sourceBranchExists && view.mergeRequest.sourceSha !== undefined && view.commitsCount !== 0,
  unresolvedDiscussions: view.mergeRequest.unresolvedDiscussionsCount,
  needsRebase: view.mergeRequest.needsRebase,
  pipeline: view.pipelineStatus,
  settings: view.settings,
});

/** Whether a user may edit: the author, assignees, Developers (G-4.2-7). */
export const mayUpdate = (
  { userId, level }: { readonly userId: number; readonly level: number },
  { mergeRequest, assigneeIds }: Pick<MergeRequestView, 'mergeRequest' | 'assigneeIds'>,
): boolean =>
  level >= levels.developer || (userId > 0 && (mergeRequest.authorId === userId || assigneeIds.includes(userId)));

/** `group/project!1`. */
export const fullReference = ({ project, mergeRequest }: Pick<MergeRequestView, 'project' | 'mergeRequest'>): string =>
  `${project.namespace_full_path}/${project.path}!${mergeRequest.iid}`;
