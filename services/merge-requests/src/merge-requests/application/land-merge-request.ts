import type { Tx } from '@switchyard/database';
import { isAppError, notAllowed, unprocessable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import {
  type BranchName,
  branchNameOf,
  branchRef,
  isAncestor,
  parseBranchName,
  parseSha,
  type Repository,
  readHeads,
  runToCompletion,
  zeroSha,
} from '../../git';
import { type ChangeRefsRequest, mayPush, type RepositoryAccess, rulesOf } from '../../repositories';
import type { AutoMergeMark } from '../domain/auto-merge-change';
import {
  decideCarIntent,
  decideIntent,
  decideMerged,
  decidePlanEnd,
  decideReopening,
  decideResumption,
  landedTogether,
} from '../domain/landing-change';
import type { MergeRequest } from '../domain/merge-request';
import type {
  LandedMove,
  LandedPlan,
  MergePlan,
  MergeRequestChange,
  ReviewedMergeRequest,
} from '../domain/merge-request-change';
import { buildMerge, cannotBeMerged, type MergeOptions } from './build-merge';
import type { MergeRequestEdges } from './merge-request.edges';
import { headsOf, isAcross } from './source-branch';
import { viewOf } from './view-of';

faultPoints.push(
  'merge.commits_written',
  'merge.intent_committed',
  'merge.ref_moved',
  'merge.committed',
  'merge.source_removed',
  'merge.plan_dropped',
  'train.landing_begun',
);

/** The cause of the ref change of a merge, of several the last one's; a subscriber finds the merge requests by it. */
export const landingCause = ({ mergeRequestId, carId }: Pick<MergePlan, 'mergeRequestId' | 'carId'>): string =>
  `${carId === undefined ? 'merge_request' : 'merge_train'}:${mergeRequestId}`;

/** The merge request that a ref change landed, and whether by its train; undefined for other changes. */
export function landingOfCause(cause: string | undefined): { id: number; byTrain: boolean } | undefined {
  const [, by, id] = /^(merge_request|merge_train):(\d{1,15})$/.exec(cause ?? '') ?? [];
  return id === undefined ? undefined : { id: Number(id), byTrain: by === 'merge_train' };
}

/** How often a merge is built again when the target branch moves under it. */
const tries = 10;

/** Merging as a sequence of commits, each of which can be the last before the process crashes (D7). */
export interface Landing {
  /**
   * Merges now: commits the plan with state `locked`, moves the target branch by compare-and-swap, commits the result.
   * @param expectedSha what the head of the source branch must be
   * @throws AppError not_allowed when it is not open any more; unprocessable when git cannot merge
   */
  land(id: number, actorId: number, options: LandingOptions): Promise<void>;
  /**
   * Lands cars that were tested together, by one move of the target branch to the tested commit, or nothing at all: the
   * plans are taken only while the cars are the first of their train and green.
   * @param plans one per car, in queue order, with the same `movesFrom` and `movesTo`; most often one
   * @param facts of the whole move
   * @returns false when they are not, or when the target branch points elsewhere, which has the cars built again (D8)
   */
  landCars(repo: Repository, plans: readonly CarPlan[], facts: ChangeRefsRequest['facts']): Promise<boolean>;
  /**
   * Commits the result of a merge whose target branch was moved, with what landed by the same move. Idempotent; late,
   * for a move that an earlier try made, it does nothing to the try under way.
   */
  finish(move: LandedMove): Promise<void>;
  /**
   * Finishes, retries or undoes a merge that another process left behind, by the tip of the target branch; of a batch,
   * from any of its members, the whole of it. While its move is requested and not decided it does nothing: once the
   * reconciler has found that the branch was moved, `finish` follows, else the next call. Idempotent.
   */
  settle(id: number): Promise<void>;
}

/** The plan of a car's landing. */
export type CarPlan = Omit<MergePlan, 'createdAt' | 'skipsTrain' | 'carId'> & { readonly carId: number };

/** Options of one landing. */
export interface LandingOptions extends MergeOptions {
  readonly removeSourceBranch?: boolean | undefined;
  readonly expectedSha?: string | undefined;
  /** The branch on which the right to merge was checked: one that was retargeted since is not merged. */
  readonly targetBranch: string;
  /** Merges past the train of the target branch. */
  readonly skipsTrain?: boolean;
  /** The mark of auto-merge in whose name it is done: when it was taken back in the meantime, nothing is merged. */
  readonly onlyWhile?: AutoMergeMark | undefined;
}

/** What landing works with. */
export type LandingEdges = RepositoryAccess &
  Pick<MergeRequestEdges, 'mergeRequests' | 'directory' | 'jobs' | 'externalUrl' | 'clock'>;

/** Builds the landing of merge requests. */
export function landing(edges: LandingEdges): Landing {
  const { mergeRequests } = edges;

  /** The move by which `plans` land. */
  const moveOf = (plans: readonly [MergePlan, ...MergePlan[]]) => {
    const tip = plans.at(-1) ?? plans[0];
    const { projectId, actorId, targetBranch, movesFrom, movesTo } = tip;
    return {
      projectId,
      actorId,
      source: 'merge' as const,
      cause: landingCause(tip),
      updates: [{ ref: branchRef(parseBranchName(targetBranch)), before: movesFrom, after: movesTo }],
    };
  };

  async function moveTarget(plans: Plans, facts: ChangeRefsRequest['facts'], begun: string): Promise<boolean> {
    const [outcome] = await edges.changeRefs({
      ...moveOf(plans),
      ...(facts === undefined ? {} : { facts }),
      begun,
      // One commit records that the branch moved and that the merge requests are merged: no one sees the one without
      // the other.
      settled: async (tx, settlements) => {
        if (settlements.some(({ moved }) => moved)) await commitMerged(plans, tx);
      },
    });
    return outcome?.status === 'moved';
  }

  /** Opens them again after plans that were not carried out. Cars stay on their train and are built again. */
  async function reopen(plans: Plans): Promise<void> {
    const mergeError = 'The target branch has changed. Please try again.';
    await mergeRequests.changeAll(
      plans.map((plan) => ({
        id: plan.mergeRequestId,
        actorId: plan.actorId,
        decide: (locked) => decideReopening(locked, plan, mergeError),
      })),
    );
  }

  async function commitMerged(plans: Plans, within?: Tx): Promise<void> {
    faultPoint('merge.ref_moved');
    const now = edges.clock();
    await mergeRequests.changeAll(
      plans.map((plan) => ({
        id: plan.mergeRequestId,
        actorId: plan.actorId,
        decide: (locked) => decideMerged(locked, plan, now),
      })),
      within === undefined ? {} : { within },
    );
  }

  async function finish(move: LandedMove): Promise<void> {
    const stored = await mergeRequests.plansOfMove(move);
    if (stored.some(({ locked }) => locked)) {
      const plans = landedTogether(stored);
      if (isSome(plans)) await commitMerged(plans);
    }
    for (const { plan } of stored) {
      if (!plan.removeSourceBranch) continue;
      await removeSource(plan).catch(async (error: unknown) => {
        // What else follows from the move does not wait for the process that has the fork.
        if (!isAppError(error, 'unavailable')) throw error;
        await edges.jobs.enqueue([{ kind: 'settle_merge', mergeRequestId: plan.mergeRequestId }]);
      });
    }
  }

  /**
   * Who removes the source branch: who merged, and in a fork where they may not push, the author, if the author asked for
   * it; undefined when it stays.
   */
  async function removerOf(mr: MergeRequest, plan: MergePlan): Promise<number | undefined> {
    if (!isAcross(mr)) return plan.actorId;
    const { sourceProjectId, forceRemoveSourceBranch, authorId } = mr;
    const project = await edges.directory.project(sourceProjectId);
    if (project === undefined || project.archived) return undefined;
    const rules = await edges.protectedBranches.all(sourceProjectId);
    for (const userId of [plan.actorId, ...(forceRemoveSourceBranch ? [authorId] : [])]) {
      const access = await edges.directory.accessOf(userId, sourceProjectId);
      if (mayPush(rules, mr.sourceBranch, access)) return userId;
    }
    return undefined;
  }

  async function removeSource(plan: MergePlan): Promise<void> {
    const { mergeRequestId, sourceSha } = plan;
    const mr = (await mergeRequests.view({ id: mergeRequestId }))?.mergeRequest;
    const branch = mr === undefined ? undefined : branchNameOf(mr.sourceBranch);
    if (mr?.state === 'merged' && branch !== undefined) {
      const actorId = await removerOf(mr, plan);
      if (actorId !== undefined && (await isRemovable(mr.sourceProjectId, branch))) {
        // A branch that has moved on since is not what was merged: it stays.
        await edges.changeRefs({
          projectId: mr.sourceProjectId,
          actorId,
          source: 'merge',
          updates: [{ ref: branchRef(branch), before: sourceSha, after: zeroSha }],
        });
        faultPoint('merge.source_removed');
      }
    }
    await dropPlan(plan);
    faultPoint('merge.plan_dropped');
  }

  async function isRemovable(projectId: number, branch: BranchName): Promise<boolean> {
    return (
      branch !== (await edges.defaultBranchOf(projectId)) &&
      rulesOf(await edges.protectedBranches.all(projectId), branch).length === 0
    );
  }

  /** Forgets a plan whose merge request is not being merged any more, or is merged and has lost its branch. */
  async function dropPlan(plan: MergePlan): Promise<void> {
    await mergeRequests.change(plan.mergeRequestId, plan.actorId, (locked) => decidePlanEnd(locked, plan));
  }

  async function attempt(id: number, actorId: number, options: LandingOptions): Promise<'merged' | 'moved on'> {
    const view = await viewOf({ mergeRequests }, { id });
    const { mergeRequest } = view;
    if (mergeRequest.targetBranch !== options.targetBranch) throw notAllowed();
    const { repo } = await edges.openRepository(mergeRequest.projectId);
    const { source, target } = await headsOf(edges, repo, mergeRequest);
    if (source === undefined || target === undefined) throw unprocessable(cannotBeMerged);
    if (source !== (options.expectedSha ?? source)) throw unprocessable(cannotBeMerged);
    const built = await buildMerge(
      edges,
      repo,
      view,
      { source, target },
      {
        ...options,
        actorId,
        date: edges.clock(),
        replays: false,
      },
    );
    if (!built.ok) throw unprocessable(cannotBeMerged);
    faultPoint('merge.commits_written');
    const plan = {
      projectId: mergeRequest.projectId,
      targetBranch: mergeRequest.targetBranch,
      oldSha: target,
      newSha: built.newSha,
      movesFrom: target,
      movesTo: built.newSha,
      actorId,
      treeSha: built.treeSha,
      sourceSha: source,
      mergeCommitSha: built.mergeCommitSha,
      squashCommitSha: built.squashCommitSha,
      removeSourceBranch:
        options.removeSourceBranch ??
        mergeRequest.shouldRemoveSourceBranch ??
        mergeRequest.forceRemoveSourceBranch ??
        false,
      carId: undefined,
      skipsTrain: options.skipsTrain ?? false,
      method: view.settings.mergeMethod,
      squash: built.squash,
    };
    const { targetBranch } = mergeRequest;
    const whole = { ...plan, mergeRequestId: id, createdAt: edges.clock(), testedTree: undefined, batchIids: [] };
    const begun = await commitIntent([whole], (locked) =>
      decideIntent(locked, plan, {
        targetBranch,
        onlyWhile: options.onlyWhile,
        squash: options.squash,
        now: edges.clock(),
      }),
    );
    if (begun === undefined) throw notAllowed();
    faultPoint('merge.intent_committed');
    const landed = await runToCompletion(() => carryOut(repo, [whole], undefined, begun.pushId));
    return landed ? 'merged' : 'moved on';
  }

  /**
   * Commits plans together with the intent to move the target branch by them.
   * @returns undefined when one of them is void: then nothing has happened
   */
  async function commitIntent<P extends MergePlan>(
    plans: readonly [P, ...P[]],
    decide: (locked: ReviewedMergeRequest, plan: P) => MergeRequestChange | undefined,
  ): Promise<{ readonly pushId: string; readonly mergeRequests: readonly MergeRequest[] } | undefined> {
    let pushId = '';
    const after = await mergeRequests.changeAllReviewed(
      plans.map((plan) => ({
        id: plan.mergeRequestId,
        actorId: plan.actorId,
        decide: (locked) => decide(locked, plan),
      })),
      {
        also: async (tx) => {
          pushId = await edges.beginRefChange(tx, moveOf(plans));
        },
      },
    );
    return after && { pushId, mergeRequests: after };
  }

  /**
   * Requests the move of plans that a process left behind. A second request besides an open one would be done as well
   * once the reconciler reads the branch, and the move would be published twice.
   * @returns undefined while it is requested, or when a plan is void
   */
  async function requestAgain(plans: Plans): Promise<string | undefined> {
    let pushId: string | undefined;
    await mergeRequests.changeAll(
      plans.map((plan) => ({
        id: plan.mergeRequestId,
        actorId: plan.actorId,
        decide: (locked) => decideResumption(locked, plan),
      })),
      {
        also: async (tx) => {
          if (await mergeRequests.isRequested(tx, plans[0])) return;
          pushId = await edges.beginRefChange(tx, moveOf(plans));
        },
      },
    );
    return pushId;
  }

  /** Carries out plans that are committed; those whose target branch points elsewhere are dropped. */
  async function carryOut(
    repo: Repository,
    plans: Plans,
    facts: ChangeRefsRequest['facts'],
    begun: string,
  ): Promise<boolean> {
    const { projectId, targetBranch, mergeRequestId, movesTo } = plans.at(-1) ?? plans[0];
    let landed = await moveTarget(plans, facts, begun);
    if (landed) faultPoint('merge.committed');
    else {
      const target = (await readHeads(repo, [targetBranch])).get(parseBranchName(targetBranch));
      landed = target !== undefined && (await isAncestor(repo, parseSha(movesTo), target));
    }
    if (landed) await finish({ mergeRequestId, projectId, targetBranch, newSha: movesTo });
    else await reopen(plans);
    return landed;
  }

  async function landCars(
    repo: Repository,
    given: readonly CarPlan[],
    facts: ChangeRefsRequest['facts'],
  ): Promise<boolean> {
    const plans = given.map((plan) => ({ ...plan, skipsTrain: false, createdAt: edges.clock() }));
    if (!isSome(plans) || !isChain(plans)) throw new Error('cars that land together are one chain of commits');
    const begun = await commitIntent(plans, (locked, plan) => decideCarIntent(locked, plan, edges.clock()));
    if (begun === undefined) return false;
    faultPoint('train.landing_begun');
    const iids = begun.mergeRequests.map(({ iid }) => iid);
    const landing = landedTogether(plans.map((plan, at) => ({ plan, iid: iids[at] as number })));
    return isSome(landing) && carryOut(repo, landing, facts, begun.pushId);
  }

  async function land(id: number, actorId: number, options: LandingOptions): Promise<void> {
    for (let tried = 1; tried <= tries; tried += 1) {
      if ((await attempt(id, actorId, options)) === 'merged') return;
    }
    throw unprocessable(cannotBeMerged);
  }

  async function settle(id: number): Promise<void> {
    const view = await mergeRequests.view({ id });
    if (view === undefined) return;
    const { mergeRequest } = view;
    const stored = await mergeRequests.plansWith(id);
    const own = stored.find(({ plan }) => plan.mergeRequestId === id)?.plan;
    if (own === undefined) {
      const mergeError = 'The merge was interrupted. Please try again.';
      if (mergeRequest.state === 'locked') {
        await mergeRequests.change(id, 0, (locked) => decideReopening(locked, undefined, mergeError));
      }
      return;
    }
    if (mergeRequest.state === 'merged') return removeSource(own);
    if (mergeRequest.state !== 'locked') return dropPlan(own);
    const { repo } = await edges.openRepository(own.projectId);
    const plans = landedTogether(stored);
    if (!isSome(plans)) return;
    const begun = await requestAgain(plans);
    if (begun === undefined) return;
    const landed = await runToCompletion(() => carryOut(repo, plans, undefined, begun));
    logger.info(
      { merge_request_ids: plans.map((plan) => plan.mergeRequestId), landed },
      'an interrupted merge was settled',
    );
  }

  return { land, landCars, finish, settle };
}

/** What lands by one move of its branch, in queue order. */
type Plans = readonly [LandedPlan, ...LandedPlan[]];

const isChain = (plans: readonly MergePlan[]): boolean =>
  plans.every(({ oldSha, movesFrom }, at) => oldSha === (at === 0 ? movesFrom : plans[at - 1]?.newSha)) &&
  plans.every(({ movesFrom, movesTo }) => movesFrom === plans[0]?.oldSha && movesTo === plans.at(-1)?.newSha);

const isSome = <T>(some: readonly T[]): some is readonly [T, ...T[]] => some.length > 0;
