import type { UserRow } from '@switchyard/directory';

/** How a merge request landed (D8). */
export type LandingMethod = 'merge' | 'ff' | 'rebase_merge';

/** The newest report of one name when its merge request landed. */
export interface ReceiptStatus {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly allowFailure: boolean;
  readonly finishedAt: Date | undefined;
}

/** What a landing was, as its own transaction wrote it. Nothing in it has been checked: ids are texts. */
export interface LandingReceipt {
  readonly id: number;
  readonly projectId: number;
  readonly mergeRequestIid: number;
  readonly targetBranch: string;
  readonly method: LandingMethod;
  readonly squash: boolean;
  readonly headSha: string;
  readonly baseSha: string;
  /** The commit that its pipeline ran on: its own, or that of the last of its batch; undefined for one that skipped the train. */
  readonly testedSha: string | undefined;
  readonly testedTree: string | undefined;
  readonly pipelineId: number | undefined;
  readonly pipelineStatus: string | undefined;
  readonly statuses: readonly ReceiptStatus[];
  readonly requiredStatuses: readonly string[];
  /** Numbers of the merge requests that were tested and landed together, in queue order; empty for one alone. */
  readonly batchIids: readonly number[];
  /** How often the tested commit was tested again before it passed. */
  readonly reruns: number;
  readonly landedSha: string;
  readonly landedTree: string;
  readonly mergeCommitSha: string | undefined;
  readonly squashCommitSha: string | undefined;
  readonly builtAt: Date | undefined;
  readonly testedAt: Date | undefined;
  readonly landedAt: Date;
  /** Another installation says so: it came in an archive of the project. */
  readonly imported: boolean;
}

/** What a receipt says of its part in a batch. */
export type BatchMember = Pick<
  LandingReceipt,
  | 'mergeRequestIid'
  | 'method'
  | 'baseSha'
  | 'testedSha'
  | 'testedTree'
  | 'pipelineId'
  | 'landedSha'
  | 'landedTree'
  | 'batchIids'
>;

/** What is still kept of the pipeline that a receipt names. */
export interface KeptPipeline {
  readonly projectId: number;
  readonly sha: string;
  readonly statuses: readonly { readonly id: number; readonly name: string; readonly status: string }[];
}

/** A recorded move of a branch. */
export interface BranchMove {
  readonly before: string;
  readonly after: string;
}

/** A recorded move of a branch that is about a batch. */
export interface BatchMove extends BranchMove {
  /** The service did it to land merge requests; else a user did. */
  readonly lands: boolean;
}

/** A receipt with everything its public representation embeds. */
export interface LandingReceiptView {
  readonly receipt: LandingReceipt;
  readonly mergeRequestId: number;
  /** Who added the merge request to the train; the ghost for a deleted user. */
  readonly addedBy: UserRow | undefined;
  readonly addedAt: Date;
  /** What the verifier found; undefined until it has looked. */
  readonly verification: { readonly verifiedAt: Date; readonly differences: readonly string[] } | undefined;
}
