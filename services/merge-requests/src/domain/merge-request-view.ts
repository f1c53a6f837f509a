import type { MergeChecks } from './detailed-merge-status';
import type { MergeRequest, ProjectMergeSettings } from './merge-request';
import type { PipelineStatus } from './pipeline-status';

/** A user as public objects embed it (G-2-1). */
export interface Person {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly state: string;
  readonly avatar_url: string | null;
  readonly public_email: string | null;
}

/** Where a project lies. */
export interface ProjectPlace {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly namespace_id: number;
  readonly namespace_full_path: string;
  readonly namespace_full_name: string;
  readonly visibility: string;
}

/** A label as it hangs on a merge request. */
export interface AttachedLabel {
  readonly id: number;
  readonly title: string;
  readonly color: string;
  readonly description: string | null;
}

/** The milestone of a merge request. */
export interface AttachedMilestone {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly group_path: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly state: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly due_date: string | null;
  readonly start_date: string | null;
}

/** A merge request with everything its public representation embeds, from one statement. */
export interface MergeRequestView {
  readonly mergeRequest: MergeRequest;
  readonly project: ProjectPlace;
  readonly settings: ProjectMergeSettings;
  /** Users by the id the row carries; a deleted user's id gives the ghost. */
  readonly people: ReadonlyMap<number, Person>;
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
  readonly labels: readonly AttachedLabel[];
  readonly milestone: AttachedMilestone | undefined;
  readonly pipelineStatus: PipelineStatus | undefined;
  readonly changesRequested: boolean;
  /** Commits the source branch had beyond the target branch at the last push; undefined when that was not counted. */
  readonly commitsCount: number | undefined;
}

/** What `detailed_merge_status` is decided from. */
export const checksOf = (view: MergeRequestView): MergeChecks => ({
  state: view.mergeRequest.state,
  mergeStatus: view.mergeRequest.mergeStatus,
  draft: view.mergeRequest.draft,
  changesRequested: view.changesRequested,
  mergeAfter: view.mergeRequest.mergeAfter,
  hasCommits:
    view.mergeRequest.sourceBranchExists && view.mergeRequest.sourceSha !== undefined && view.commitsCount !== 0,
  unresolvedDiscussions: view.mergeRequest.unresolvedDiscussionsCount,
  needsRebase: view.mergeRequest.needsRebase,
  pipeline: view.pipelineStatus,
  settings: view.settings,
});

/** `group/project!1`. */
export const fullReference = ({ project, mergeRequest }: Pick<MergeRequestView, 'project' | 'mergeRequest'>): string =>
  `${project.namespace_full_path}/${project.path}!${mergeRequest.iid}`;
