import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { UserRow, Viewer } from '@switchyard/directory';
import type { Involved } from '../domain/involved';
import type { MergeRequest } from '../domain/merge-request';
import type {
  LandedMove,
  LockedMergeRequest,
  MergeabilityResult,
  MergePlan,
  MergeRequestChange,
  NewMergeRequest,
  PlannedMerge,
  ReviewedMergeRequest,
  StoredDiff,
  WantedChange,
} from '../domain/merge-request-change';
import type { MergeRequestFilter } from '../domain/merge-request-filter';
import type { MergeRequestView } from '../domain/merge-request-view';

/** Which merge requests a list is about. */
export type MergeRequestScope = { projectId: number } | { groupId: number } | 'all';

/** Merge requests as they are read. */
export interface MergeRequestReads {
  /** @param viewer whom it is read for, where it is shown */
  view(
    key: { id: number } | { projectId: number; iid: number },
    viewer?: Viewer,
  ): Promise<MergeRequestView | undefined>;
  /** One page of the merge requests that an actor may see. */
  list(query: {
    scope: MergeRequestScope;
    filter: MergeRequestFilter;
    viewer: Viewer;
    request: PageRequest;
  }): Promise<{ rows: MergeRequestView[]; page: PageInfo }>;
  viewsByIds(ids: readonly number[], viewer: Viewer): Promise<MergeRequestView[]>;
  /** Versions of the diff, newest first, from `skip` on. */
  diffs(id: number, skip: number, limit: number): Promise<StoredDiff[]>;
  diff(id: number, diffId: number): Promise<StoredDiff | undefined>;
  /** True when no merge request of this author was merged into the project before this one. */
  isFirstContribution(mr: Pick<MergeRequest, 'id' | 'projectId' | 'authorId'>): Promise<boolean>;
  /** End of the first successful deployment to production that brought it in; undefined when there is none. */
  firstDeployedToProductionAt(id: number): Promise<Date | undefined>;
  /** Whether a project has a deployment. */
  hasDeployment(projectId: number, deploymentId: number): Promise<boolean>;
  /** Merge requests from a branch that are not merged. */
  unmergedFrom(sourceProjectId: number, sourceBranch: string): Promise<MergeRequest[]>;
  /**
   * Merge requests with ids above `after`, ascending, whose source project has left the network of forks: open ones, and
   * where it is `gone` for good closed ones that have not lost their branch.
   */
  withoutFork(after: number, limit: number): Promise<{ readonly id: number; readonly gone: boolean }[]>;
  /** Ids of open merge requests from forks into a project, above `after`, in this order. */
  acrossInto(projectId: number, after: number, limit: number): Promise<number[]>;
  /** Open merge requests into a branch. */
  openInto(projectId: number, targetBranch: string): Promise<MergeRequest[]>;
  /**
   * The branch that a merge request from a branch was merged into, where its head was `sha`, the newest of several;
   * undefined when there is none.
   */
  landedIn(projectId: number, sourceBranch: string, sha: string): Promise<string | undefined>;
  /** Ids of up to `limit` merge requests of an author. */
  authoredBy(authorId: number, limit: number): Promise<number[]>;
  /** Ids of open merge requests with auto-merge set. */
  withAutoMerge(limit: number): Promise<number[]>;
}

/** What is known of the mergeability of merge requests. */
export interface MergeabilityStore {
  /** Open merge requests of a project whose mergeability is not known; marks them as being checked. */
  startChecks(projectId: number): Promise<MergeRequest[]>;
  /** Saves what git found out; skips merge requests that a push has changed in the meantime. */
  saveChecks(results: readonly MergeabilityResult[]): Promise<void>;
  /**
   * Forgets what is known of some merge requests, or of all open ones into a branch, and has them checked; those on a
   * train are left out.
   */
  recheck(which: { ids: readonly number[] } | { projectId: number; targetBranch: string }): Promise<void>;
}

/** Merges under way. */
export interface MergePlans {
  /** The plan of a merge under way and those that land by the same move; empty when there is none. */
  plansWith(id: number): Promise<PlannedMerge[]>;
  /** Plans of what landed when a branch was moved to a commit for a merge request; those that are there still. */
  plansOfMove(move: LandedMove): Promise<PlannedMerge[]>;
  /**
   * Whether the move by which a plan lands is requested and not decided: a process makes it, or the reconciler reads
   * within seconds whether it was made. Under the lock of a merge request of the plan no other process requests it.
   */
  isRequested(tx: Tx, plan: Pick<MergePlan, 'projectId' | 'targetBranch' | 'movesFrom' | 'movesTo'>): Promise<boolean>;
  /** Merges that were begun and, for `seconds`, not ended: one of those that land by the same move. */
  abandonedMerges(seconds: number): Promise<number[]>;
}

/** Participants and subscribers of merge requests. */
export interface MergeRequestPeople {
  /** Who has to do with merge requests, for those who notify them; one statement for any number of ids. */
  peopleOf(ids: readonly number[]): Promise<Involved[]>;
  participants(id: number): Promise<UserRow[]>;
  reviewers(id: number): Promise<{ user: UserRow | null; state: string; created_at: Date }[]>;
  /** Whether a user is subscribed: by their own choice, else because they take part. */
  isSubscribed(id: number, userId: number): Promise<boolean>;
  /** Those of `ids` that a user is subscribed to. */
  subscribedAmong(ids: readonly number[], userId: number): Promise<Set<number>>;
  setSubscription(id: number, userId: number, subscribed: boolean): Promise<void>;
}

/** Approvals as they are read. */
export interface ApprovalReads {
  /** Users whom rules name themselves, who may approve and have not; at most 100. */
  suggestedApprovers(mergeRequestId: number, ruleIds: readonly number[]): Promise<number[]>;
  /** Users by id; a deleted one is the ghost. */
  usersByIds(ids: readonly number[]): Promise<ReadonlyMap<number, UserRow>>;
}

/** A change of one merge request. */
export interface ChangeOfOne<L = LockedMergeRequest> {
  readonly id: number;
  readonly actorId: number;
  /** Synchronous, so that nothing remote happens under the lock; undefined changes nothing. It may run more than once. */
  readonly decide: (locked: L) => MergeRequestChange | undefined;
}

/** How several changes are made. */
interface ChangeOptions {
  /** The caller's transaction, in place of one of its own; a change that is void is passed over then. */
  readonly within?: Tx;
  /** Runs in the same transaction, after the changes. */
  readonly also?: (tx: Tx) => Promise<void>;
}

/** Where merge requests are kept. */
export interface MergeRequestStore
  extends MergeRequestReads,
    MergeabilityStore,
    MergePlans,
    MergeRequestPeople,
    ApprovalReads {
  /**
   * Opens a merge request with its people, labels, first diff version and event.
   * @throws AppError conflict when an open one exists for the same branches (G-4.2-4)
   */
  create(wanted: NewMergeRequest): Promise<{ id: number; iid: number }>;
  /**
   * Locks a merge request, calls `decide`, and saves that with its events and jobs in one transaction.
   * `decide` is synchronous, so that nothing remote happens under the lock; undefined changes nothing. It may run more
   * than once.
   * @param within the caller's transaction, in place of one of its own
   * @throws AppError not_found; conflict when it would be a second open one for its branches
   */
  change(
    id: number,
    actorId: number,
    decide: (locked: ReviewedMergeRequest) => MergeRequestChange | undefined,
    within?: Tx,
  ): Promise<MergeRequest>;
  /** `change` for what may be asked for again: with the same cause it is decided and saved once. */
  changeOnce(
    id: number,
    actorId: number,
    cause: string,
    decide: (locked: LockedMergeRequest) => MergeRequestChange | undefined,
  ): Promise<MergeRequest>;
  /**
   * Changes several merge requests in one transaction, in the order given: all or none, unless the transaction is the
   * caller's. All are locked first, by ascending id.
   * @returns the merge requests after their changes, without those that were void; undefined when none was made
   *   because one was void
   * @throws AppError not_found
   */
  changeAll(changes: readonly ChangeOfOne[], options?: ChangeOptions): Promise<MergeRequest[] | undefined>;
  /** `changeAll` for decisions on what others hold against a merge. */
  changeAllReviewed(
    changes: readonly ChangeOfOne<ReviewedMergeRequest>[],
    options?: ChangeOptions,
  ): Promise<MergeRequest[] | undefined>;
  /**
   * Several changes in one transaction. A change that `decide` refuses takes no other with it; when one cannot be
   * saved, none is.
   * @returns what became of each, in the same order; AppErrors of `decide`, and not_found
   */
  changeTogether(wanted: readonly WantedChange[]): Promise<PromiseSettledResult<MergeRequest>[]>;
  /**
   * Deletes a merge request as `decide` requires: with the removal of its car, its jobs and its events, in one
   * transaction.
   * @throws AppError not_found; precondition_failed when it changed after `unmodifiedSince`; what `decide` throws
   */
  remove(
    id: number,
    actorId: number,
    unmodifiedSince: Date | undefined,
    decide: (locked: LockedMergeRequest) => MergeRequestChange,
  ): Promise<void>;
}
