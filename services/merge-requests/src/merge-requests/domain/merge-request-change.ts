import type { IssueReferences, Mentions, SpentTime, WorkTimes } from '@switchyard/texts';
import type { JobRequest } from '../../jobs';
import type { ApprovalFacts, ReviewState } from './approvals';
import type { CarSignal } from './car-signal';
import type { MergeRequest, ProjectMergeSettings } from './merge-request';
import type { RemovalReason } from './removal-reason';

/** Ways of acting on a merge request that no other fact contains. */
export type Act =
  | 'approved'
  | 'unapproved'
  | 'reviewed'
  | 'changes_requested'
  | 'pushed'
  | 'auto_merge_changed'
  | 'rebased'
  | 'pipeline_retried';

/** A time before and after, in seconds. */
export interface TimeChange {
  readonly field: 'time_estimate' | 'time_spent';
  readonly old: number;
  readonly new: number;
}

/** Which times change where some are set. */
export const timeChangesOf = (before: WorkTimes, after: Partial<WorkTimes>): TimeChange[] =>
  [
    { field: 'time_estimate' as const, old: before.timeEstimate, new: after.timeEstimate ?? before.timeEstimate },
    { field: 'time_spent' as const, old: before.totalTimeSpent, new: after.totalTimeSpent ?? before.totalTimeSpent },
  ].filter((change) => change.old !== change.new);

/** A field before and after an edit; sets of people and labels are ids, all else is a text, empty for none. */
export interface FieldChange {
  /** Public name. */
  readonly field: string;
  readonly old: string;
  readonly new: string;
  readonly oldIds: readonly number[];
  readonly newIds: readonly number[];
}

/** What happened to a merge request; becomes an event in the transaction of the change (D6). */
export type MergeRequestFact =
  | {
      readonly kind: 'created';
      readonly assigneeIds: readonly number[];
      readonly reviewerIds: readonly number[];
      readonly mentions: Mentions;
      readonly issueReferences: IssueReferences;
    }
  | {
      readonly kind: 'updated';
      readonly addedAssigneeIds: readonly number[];
      readonly removedAssigneeIds: readonly number[];
      readonly addedReviewerIds: readonly number[];
      readonly removedReviewerIds: readonly number[];
      readonly mentions: Mentions;
      /** Of the new texts; undefined where the texts stayed. */
      readonly issueReferences: IssueReferences | undefined;
      /** Public names. */
      readonly changedFields: readonly string[];
      /** Those that count time. */
      readonly timeChanges: readonly TimeChange[];
      /** Those that do not. */
      readonly changes: readonly FieldChange[];
      /** After the edit, where that changed. */
      readonly discussionLocked?: boolean | undefined;
    }
  | { readonly kind: 'closed' }
  | { readonly kind: 'reopened' }
  | { readonly kind: 'merged'; readonly mergeCommitSha: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'became_unmergeable'; readonly sourceSha: string; readonly targetSha: string }
  | { readonly kind: 'pipeline_failed'; readonly pipelineId: number }
  | {
      readonly kind: 'train_entry_added';
      readonly entryId: number;
      readonly targetBranch: string;
      readonly position: number;
      /** A maintainer put it at the front, with this rank. */
      readonly first?: { readonly rank: number; readonly moved: boolean };
    }
  | {
      readonly kind: 'train_entry_removed';
      readonly entryId: number;
      readonly targetBranch: string;
      readonly addedById: number;
      readonly reason: RemovalReason;
      readonly pipelineId: number | undefined;
      /** What it failed on. */
      readonly evidence?: TrainEvidence | undefined;
    }
  | {
      readonly kind: 'train_entry_overtaken';
      readonly entryId: number;
      readonly targetBranch: string;
      readonly position: number;
      readonly by: { readonly id: number; readonly iid: number; readonly entryId: number; readonly rank: number };
      /** Who added it; undefined: unknown. */
      readonly addedById?: number;
    }
  | {
      readonly kind: 'train_state_changed';
      readonly entryId: number;
      readonly targetBranch: string;
      /** Distinguishes the changes of a train. */
      readonly changeId: number;
      readonly state: 'running' | 'paused' | 'draining';
      readonly reason: string | undefined;
      readonly until: Date | undefined;
      /** The names that failed, where the train stopped itself. */
      readonly failingNames: readonly string[] | undefined;
      readonly firstCar: boolean;
      /** Who added it; undefined: unknown. */
      readonly addedById?: number;
    }
  | {
      readonly kind: 'auto_merge_changed';
      readonly change: 'set' | 'canceled' | 'aborted';
      /** It joins a merge train when its checks pass. */
      readonly addsToTrain: boolean;
      readonly setById: number;
      /** Why it was aborted. */
      readonly reason?: RemovalReason;
    }
  /** Rules that demand approvals name users. */
  | { readonly kind: 'approval_requested'; readonly userIds: readonly number[] }
  /** `changeId` is the id of the change of the source branch. */
  | {
      readonly kind: 'suggestions_applied';
      readonly suggestionIds: readonly number[];
      readonly commitSha: string;
      readonly changeId: number;
    }
  | ({ readonly kind: 'acted'; readonly act: Act; readonly push?: Push | undefined } & ApprovalsOfAct & {
        /** Distinguishes acts of one kind. */
        readonly actId: string;
      });

/** What an act does to approvals. */
export interface ApprovalsOfAct {
  /**
   * Of an approval: whether it has every approval that it needs since. Of what takes approvals back: whether it had
   * them before. Undefined for every other act.
   */
  readonly approved?: boolean;
  /** Users whose approvals it takes back. */
  readonly lostApprovalUserIds?: readonly number[];
}

/** A fact about a merge request that another transaction made true. */
export interface LaterFact {
  readonly mergeRequestId: number;
  readonly fact: MergeRequestFact;
}

/** What shows that a car itself failed: everything that its commit stood on had landed (D8). */
export interface TrainEvidence {
  /** Undefined when it could not be built. */
  readonly testedSha: string | undefined;
  /** Tip of the target branch that it stood on. */
  readonly baseSha: string;
  readonly pipelineId: number | undefined;
  /** The names that failed. */
  readonly statuses: readonly { readonly name: string; readonly targetUrl: string | undefined }[];
  /** How often the same commit was tested again. */
  readonly reruns: number;
}

/** What a push changed of a source branch. */
export interface Push {
  readonly oldSha: string;
  readonly newSha: string;
  /** New ones; 10,001 for more than 10,000. */
  readonly commits: number;
  /** Commits went away. */
  readonly rewritten: boolean;
}

/** A merge request with assignees, reviewers and labels, locked. */
export interface LockedMergeRequest {
  readonly mergeRequest: MergeRequest;
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
  readonly labelIds: readonly number[];
  /** The plan that is under way. */
  readonly planned: Pick<MergePlan, 'newSha' | 'movesTo'> | undefined;
}

/** One with what keeps it from being merged as long as others say so. It takes longer to read. */
export interface ReviewedMergeRequest extends LockedMergeRequest {
  readonly approval: ApprovalFacts;
  /** A reviewer requests changes. */
  readonly changesRequested: boolean;
  /** Merge requests that have to be merged before and are not. */
  readonly openBlocks: number;
}

/** Fields that a change may set; `null` clears. */
export type MergeRequestPatch = {
  readonly [F in keyof Omit<MergeRequest, 'id' | 'iid' | 'projectId' | 'lockVersion' | 'createdAt'>]?: NonNullable<
    MergeRequest[F]
  > | null;
};

/** A version of the diff: what is compared since a push. */
export interface DiffVersion {
  readonly baseSha: string;
  readonly headSha: string;
  readonly startSha: string;
  readonly commitsCount: number;
  readonly filesCount: number;
  /** Ids of its commits, newest first, at most 1,000; known of a new version alone. */
  readonly commitShas?: readonly string[];
}

/** The plan of a merge, committed before the target ref moves (D7). */
export interface MergePlan {
  readonly mergeRequestId: number;
  readonly projectId: number;
  readonly targetBranch: string;
  /** What its own commits lie on. */
  readonly oldSha: string;
  /** Its own commit: what lands of it. */
  readonly newSha: string;
  /** What the target branch must point at: `oldSha`, or that of the first car of its batch. */
  readonly movesFrom: string;
  /** What the target branch will point at: `newSha`, or that of the last car of its batch, which was tested for all. */
  readonly movesTo: string;
  readonly sourceSha: string;
  readonly mergeCommitSha: string | undefined;
  readonly squashCommitSha: string | undefined;
  readonly actorId: number;
  readonly removeSourceBranch: boolean;
  readonly createdAt: Date;
  /** Tree of `newSha`. */
  readonly treeSha: string | undefined;
  /** How the commits were made. */
  readonly method: ProjectMergeSettings['mergeMethod'] | undefined;
  readonly squash: boolean | undefined;
  /** The car that lands. */
  readonly carId: number | undefined;
  /** It merges past the train of its target branch. */
  readonly skipsTrain: boolean;
}

/** A stored plan. */
export interface PlannedMerge {
  readonly plan: MergePlan;
  readonly iid: number;
  /** Its merge request is being merged; else the plan is left from a merge that has ended. */
  readonly locked: boolean;
}

/** A move of a target branch by which a merge request landed, and with it what was tested together with it. */
export interface LandedMove extends Pick<MergePlan, 'mergeRequestId' | 'projectId' | 'targetBranch'> {
  /** What the branch was moved to. */
  readonly newSha: string;
}

/** A plan that was carried out, with what was tested for it. */
export interface LandedPlan extends MergePlan {
  /** Tree of `movesTo`. */
  readonly testedTree: string | undefined;
  /** Numbers of the merge requests that were tested and have landed together, in queue order; empty for one alone. */
  readonly batchIids: readonly number[];
}

/** How a merge request is added to a train. */
export interface NewCar {
  /** A maintainer puts it at the front, or moves it there when it is on the train already. */
  readonly first: boolean;
  readonly sourceSha: string;
  readonly squash: boolean;
  readonly removeSourceBranch: boolean;
  readonly mergeCommitMessage: string | undefined;
  readonly squashCommitMessage: string | undefined;
}

/** One change of a merge request, saved with its events and jobs in one transaction. */
export interface MergeRequestChange {
  readonly patch?: MergeRequestPatch;
  /** New head of the source branch; its newest pipeline becomes the head pipeline. */
  readonly newHead?: string;
  readonly assigneeIds?: readonly number[];
  readonly reviewerIds?: readonly number[];
  readonly labelIds?: readonly number[];
  /** Whose approval is given, and whose are taken back. */
  readonly approvals?: { readonly added?: number; readonly removed?: readonly number[] };
  /** Where reviews stand; of users who are no reviewers nothing is kept. */
  readonly reviews?: readonly { readonly userId: number; readonly state: ReviewState }[];
  readonly diff?: DiffVersion;
  readonly participants?: readonly number[];
  /** Entries of time of the actor. */
  readonly timelogs?: readonly SpentTime[];
  /** An entry of time to be deleted. */
  readonly removedTimelogId?: number;
  /** The plan to keep, or `done` to drop it. */
  readonly plan?: Omit<MergePlan, 'mergeRequestId' | 'createdAt'> | 'done';
  /** Puts it on the train of its target branch. */
  readonly addedCar?: NewCar;
  /** Why auto-merge is taken back and, if it is on a train, its car is removed; goes with `noAutoMerge`. */
  readonly removalReason?: RemovalReason;
  /** What happened to its car. One that changes nothing any more voids the whole change. */
  readonly signal?: CarSignal;
  /** The plan that was carried out: its car has landed, its receipt is written. */
  readonly landed?: LandedPlan;
  readonly facts?: readonly MergeRequestFact[];
  readonly jobs?: readonly JobRequest[];
  /** Leaves `updated_at` as it is: bookkeeping that is no edit by a user. */
  readonly quiet?: boolean;
  /** It happened at another forge: what was done there is recorded by its events, and nobody is notified (D6). */
  readonly history?: boolean;
  /** Of a change that is history: what the new texts name. Undefined where these stayed. */
  readonly issueReferences?: IssueReferences;
}

/** A merge request to be opened. */
export interface NewMergeRequest {
  readonly projectId: number;
  readonly sourceProjectId: number;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly authorId: number;
  readonly title: string;
  readonly description: string | undefined;
  readonly draft: boolean;
  readonly taskCount: number;
  readonly completedTaskCount: number;
  readonly sourceSha: string;
  readonly targetSha: string;
  readonly squash: boolean;
  readonly forceRemoveSourceBranch: boolean | undefined;
  readonly allowCollaboration: boolean;
  readonly approvalsBeforeMerge: number | undefined;
  readonly milestoneId: number | undefined;
  readonly mergeAfter: Date | undefined;
  readonly discussionLocked: boolean | undefined;
  readonly timeEstimate: number;
  readonly totalTimeSpent: number;
  /** Entries of time of the author. */
  readonly timelogs: readonly SpentTime[];
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
  readonly labelIds: readonly number[];
  readonly diff: DiffVersion | undefined;
  readonly mentions: Mentions;
  readonly issueReferences: IssueReferences;
}

/** What follows for a merge request from the part of a change that concerns its train. */
export interface TrainConsequences {
  readonly patch?: MergeRequestPatch;
  readonly facts: readonly MergeRequestFact[];
  readonly jobs: readonly JobRequest[];
}

/** A version of a diff as it is stored. */
export interface StoredDiff extends DiffVersion {
  readonly id: number;
  readonly createdAt: Date;
}

/** What git found out about one merge request. */
export interface MergeabilityResult {
  readonly id: number;
  /** Generation the check was started for. */
  readonly generation: number;
  readonly sourceSha: string;
  readonly targetSha: string;
  readonly mergeable: boolean;
  readonly needsRebase: boolean;
}

/** A change that is saved together with others. */
export interface WantedChange {
  readonly id: number;
  readonly actorId: number;
  /** As with a change on its own: undefined changes nothing; it may run more than once. */
  decide(locked: LockedMergeRequest): MergeRequestChange | undefined;
  /** Saves it as part of what asked for it. */
  within<T>(save: () => T): T;
}
