import { type AppError, conflict, invalid } from '@switchyard/errors';
import { displayTextProblems } from '@switchyard/texts';

/** States of a merge request (G-3-1). */
export type MergeRequestState = 'opened' | 'closed' | 'locked' | 'merged';

/**
 * State of the mergeability check of a merge request (G-2-5); `cannot_be_merged_recheck` is a conflict that waits to be
 * checked again.
 */
export type MergeStatus =
  | 'unchecked'
  | 'checking'
  | 'can_be_merged'
  | 'cannot_be_merged'
  | 'cannot_be_merged_recheck'
  | 'cannot_be_merged_rechecking'
  | 'preparing';

/** A merge request as it is stored. Shas are 40 hex characters; ids are of the directory. */
export interface MergeRequest {
  readonly id: number;
  /** Number within the target project. */
  readonly iid: number;
  /** Target project. */
  readonly projectId: number;
  readonly sourceProjectId: number;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly authorId: number;
  readonly title: string;
  readonly description: string | undefined;
  readonly state: MergeRequestState;
  readonly draft: boolean;
  readonly taskCount: number;
  readonly completedTaskCount: number;
  /** Head of the source branch as last seen. */
  readonly sourceSha: string | undefined;
  /** Head of the target branch as last seen. */
  readonly targetSha: string | undefined;
  readonly sourceBranchExists: boolean;
  readonly mergeStatus: MergeStatus;
  /** Grows with every push to either side: what was found out for an older generation is thrown away. */
  readonly mergeStatusGeneration: number;
  /** The target branch has commits that the source branch lacks. */
  readonly needsRebase: boolean;
  readonly mergeError: string | undefined;
  readonly rebaseInProgress: boolean;
  readonly squash: boolean;
  readonly forceRemoveSourceBranch: boolean | undefined;
  readonly shouldRemoveSourceBranch: boolean | undefined;
  readonly allowCollaboration: boolean;
  readonly approvalsBeforeMerge: number | undefined;
  readonly discussionLocked: boolean | undefined;
  readonly milestoneId: number | undefined;
  readonly mergeAfter: Date | undefined;
  readonly preparedAt: Date | undefined;
  readonly autoMergeStrategy: string | undefined;
  readonly autoMergeUserId: number | undefined;
  readonly autoMergeSha: string | undefined;
  readonly mergeCommitMessage: string | undefined;
  readonly squashCommitMessage: string | undefined;
  readonly mergeCommitSha: string | undefined;
  readonly squashCommitSha: string | undefined;
  readonly mergeUserId: number | undefined;
  readonly mergedAt: Date | undefined;
  readonly closedById: number | undefined;
  readonly closedAt: Date | undefined;
  readonly headPipelineId: number | undefined;
  readonly latestDiffId: number | undefined;
  readonly changesCount: number | undefined;
  readonly userNotesCount: number;
  /** Internal ones among them, for Reporters and above alone (G-4.6-9). */
  readonly internalNotesCount: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly unresolvedDiscussionsCount: number;
  readonly timeEstimate: number;
  readonly totalTimeSpent: number;
  readonly importedFrom: string;
  readonly lockVersion: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** How merge trains run in a project (D8). */
export interface MergeTrainSettings {
  /** Both flags of the project are set and its tier has trains. */
  readonly enabled: boolean;
  /** `skip_merge_train` is allowed. */
  readonly skipAllowed: boolean;
  /** Status names an entry's pipeline needs, all of them; empty: every name it has. */
  readonly requiredStatuses: readonly string[];
  /** Minutes an entry's pipeline has for its final report, 1 to 1,440. */
  readonly timeoutMinutes: number;
  /** Entries of one train tested at the same time, 1 to 100. */
  readonly parallelCars: number;
  /** How often a failure that would be blamed is first run again, 0 to 3. */
  readonly retries: number;
  /** Most entries tested together, 1 to 10; 1: each on its own. */
  readonly batchSize: number;
  /** Statuses an entry's pipeline must have, 0 to 100; 0: not used. */
  readonly requiredStatusCount: number;
  /** Seconds without a new status after which a pipeline counts as complete, 0 to 600. */
  readonly settlingSeconds: number;
}

/** Merge settings of a project, from its directory row. */
export interface ProjectMergeSettings {
  readonly mergeMethod: 'merge' | 'rebase_merge' | 'ff';
  readonly squashOption: 'never' | 'always' | 'default_on' | 'default_off';
  readonly onlyAllowMergeIfPipelineSucceeds: boolean;
  readonly allowMergeOnSkippedPipeline: boolean;
  readonly onlyAllowMergeIfAllDiscussionsAreResolved: boolean;
  readonly removeSourceBranchAfterMerge: boolean;
  readonly mergeRequestsEnabled: boolean;
  readonly mergeCommitTemplate: string | undefined;
  readonly squashCommitTemplate: string | undefined;
  readonly suggestionCommitMessage: string | undefined;
  readonly mergeTrains: MergeTrainSettings;
}

/** Longest description in characters (api.md 8). */
export const maxDescriptionLength = 1_048_576;
/** Most assignees, and most reviewers (G-4.2-13). */
export const maxPeople = 200;

const draftMark = /^\s*(?:draft:|\[draft\]|\(draft\))/i;

/** True when the title's beginning makes the merge request a draft (G-4.2-3). */
export const isDraftTitle = (title: string): boolean => draftMark.test(title);

/** Refuses what may not happen to a merge request while it is not known whether it lands (D8). */
export const beingMerged = (): AppError => conflict('409 Conflict: the merge request is being merged');

/** GitLab's words for a text of more characters than `limit`. */
export const tooLong = (limit: number): string => `is too long (maximum is ${limit} characters)`;

interface CheckedFields {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly assignees?: number | undefined;
  readonly reviewers?: number | undefined;
}

/** What is wrong with title, description and numbers of people, by field (G-4.2-4). */
export function mergeRequestFieldProblems(fields: CheckedFields): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  if (fields.title !== undefined) {
    const found = displayTextProblems(fields.title);
    if (found.length > 0) problems.title = found;
  }
  if (fields.description !== undefined && [...fields.description].length > maxDescriptionLength) {
    problems.description = [tooLong(maxDescriptionLength)];
  }
  const people = `total must be less than or equal to ${maxPeople}`;
  if ((fields.assignees ?? 0) > maxPeople) problems.assignees = [people];
  if ((fields.reviewers ?? 0) > maxPeople) problems.reviewers = [people];
  return problems;
}

/**
 * Checks title, description and numbers of people.
 * @throws AppError invalid with every problem at once (G-4.2-4)
 */
export function checkMergeRequestFields(fields: CheckedFields): void {
  const problems = mergeRequestFieldProblems(fields);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Whether a merge squashes: the project's setting overrides the choice of the merge request. */
export function squashes(option: ProjectMergeSettings['squashOption'], asked: boolean | undefined): boolean {
  if (option === 'never') return false;
  if (option === 'always') return true;
  return asked ?? option === 'default_on';
}

/** The free tier keeps the first assignee and the first reviewer (G-4.2-13). */
export const allowedPeople = (tier: string, ids: readonly number[]): number[] => {
  const distinct = [...new Set(ids.filter((id) => id > 0))];
  return tier === 'free' ? distinct.slice(0, 1) : distinct;
};
