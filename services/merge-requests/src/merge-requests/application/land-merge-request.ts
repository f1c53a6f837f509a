import type { Tx } from '@switchyard/database';
import { notAllowed, notFound, unprocessable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import {
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
import { type ChangeRefsRequest, type RepositoryAccess, rulesOf } from '../../repositories';
import type { AutoMergeMark } from '../domain/auto-merge-change';
import { decideCarIntent, decideIntent, decideMerged, decidePlanEnd, decideReopening } from '../domain/landing-change';
import type { MergePlan } from '../domain/merge-request-change';
import { buildMerge, cannotBeMerged, type MergeOptions } from './build-merge';
import type { MergeRequestEdges } from './merge-request.edges';

faultPoints.push(
  'merge.commits_written',
  'merge.intent_committed',
  'merge.ref_moved',
  'merge.committed',
  'merge.source_removed',
  'merge.plan_dropped',
  'train.landing_begun',
);

/** The cause of the ref change of a merge; a subscriber finds the merge request by it. */
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
   * Lands the tested commit of a car, or nothing at all: the plan is taken only while the car is the first of its train
   * and green.
   * @returns false when it is not, or when the target branch points elsewhere, which has the car built again (D8)
   */
  landCar(repo: Repository, plan: CarPlan, facts: ChangeRefsRequest['facts']): Promise<boolean>;
  /**
   * Commits the result of a merge whose target branch has moved to `newSha`. Idempotent; late, for a move that an
   * earlier try made, it does nothing to the try under way.
   */
  finish(id: number, newSha: string): Promise<void>;
  /**
   * Finishes, retries or undoes a merge that another process left behind, by the tip of the target branch.
   * Idempotent.
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
export type LandingEdges = RepositoryAccess & Pick<MergeRequestEdges, 'mergeRequests' | 'externalUrl' | 'clock'>;

/** Builds the landing of merge requests. */
export function landing(edges: LandingEdges): Landing {
  const { mergeRequests } = edges;

  async function moveTarget(plan: MergePlan, facts: ChangeRefsRequest['facts']): Promise<boolean> {
    const [outcome] = await edges.changeRefs({
      projectId: plan.projectId,
      actorId: plan.actorId,
      source: 'merge',
      cause: landingCause(plan),
      ...(facts === undefined ? {} : { facts }),
      updates: [{ ref: branchRef(parseBranchName(plan.targetBranch)), before: plan.oldSha, after: plan.newSha }],
      // One commit records that the branch moved and that the merge request is merged: no one sees the one without the
      // other.
      settled: async (tx, settlements) => {
        if (settlements.some(({ moved }) => moved)) await commitMerged(plan, tx);
      },
    });
    return outcome?.status === 'moved';
  }

  /** Opens it again after a plan that was not carried out. A car stays on its train and is built again. */
  async function reopen(id: number, actorId: number, mergeError: string, plan?: MergePlan): Promise<void> {
    await mergeRequests.change(id, actorId, (locked) => decideReopening(locked, plan, mergeError));
  }

  async function commitMerged(plan: MergePlan, tx?: Tx): Promise<void> {
    faultPoint('merge.ref_moved');
    const now = edges.clock();
    await mergeRequests.change(plan.mergeRequestId, plan.actorId, (locked) => decideMerged(locked, plan, now), tx);
  }

  async function finish(id: number, newSha: string): Promise<void> {
    const plan = await mergeRequests.plan(id);
    if (plan === undefined || plan.newSha !== newSha) return;
    await commitMerged(plan);
    if (plan.removeSourceBranch) await removeSource(plan);
  }

  async function removeSource(plan: MergePlan): Promise<void> {
    const { mergeRequestId, projectId, actorId, sourceSha } = plan;
    const view = await mergeRequests.view({ id: mergeRequestId });
    const branch = view === undefined ? undefined : branchNameOf(view.mergeRequest.sourceBranch);
    if (view !== undefined && branch !== undefined && view.mergeRequest.state === 'merged') {
      const { defaultBranch } = await edges.openRepository(projectId);
      const rules = await edges.protectedBranches.all(projectId);
      if (branch !== defaultBranch && rulesOf(rules, branch).length === 0) {
        // A branch that has moved on since is not what was merged: it stays.
        await edges.changeRefs({
          projectId,
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

  /** Forgets a plan whose merge request is not being merged any more, or is merged and has lost its branch. */
  async function dropPlan(plan: MergePlan): Promise<void> {
    await mergeRequests.change(plan.mergeRequestId, plan.actorId, (locked) => decidePlanEnd(locked, plan));
  }

  async function attempt(id: number, actorId: number, options: LandingOptions): Promise<'merged' | 'moved on'> {
    const view = await mergeRequests.view({ id });
    if (view === undefined) throw notFound();
    const { mergeRequest } = view;
    if (mergeRequest.targetBranch !== options.targetBranch) throw notAllowed();
    const { repo } = await edges.openRepository(mergeRequest.projectId);
    const heads = await readHeads(repo, [mergeRequest.sourceBranch, mergeRequest.targetBranch]);
    const [source, target] = [heads.get(mergeRequest.sourceBranch), heads.get(mergeRequest.targetBranch)];
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
      treeSha: built.treeSha,
      sourceSha: source,
      mergeCommitSha: built.mergeCommitSha,
      squashCommitSha: built.squashCommitSha,
      actorId,
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
    await mergeRequests.change(id, actorId, (locked) =>
      decideIntent(locked, plan, { targetBranch, onlyWhile: options.onlyWhile }),
    );
    faultPoint('merge.intent_committed');
    const landed = await runToCompletion(() =>
      carryOut(repo, { ...plan, mergeRequestId: id, createdAt: edges.clock() }),
    );
    return landed ? 'merged' : 'moved on';
  }

  /** Carries out a plan that is committed; one whose target branch points elsewhere is dropped. */
  async function carryOut(repo: Repository, plan: MergePlan, facts?: ChangeRefsRequest['facts']): Promise<boolean> {
    const { mergeRequestId: id, newSha, targetBranch } = plan;
    let landed = await moveTarget(plan, facts);
    if (landed) faultPoint('merge.committed');
    else {
      const target = (await readHeads(repo, [targetBranch])).get(parseBranchName(targetBranch));
      landed = target !== undefined && (await isAncestor(repo, parseSha(newSha), target));
    }
    if (landed) await finish(id, newSha);
    else await reopen(id, plan.actorId, 'The target branch has changed. Please try again.', plan);
    return landed;
  }

  async function landCar(repo: Repository, plan: CarPlan, facts: ChangeRefsRequest['facts']): Promise<boolean> {
    const { mergeRequestId: id, actorId } = plan;
    const whole = { ...plan, skipsTrain: false };
    let begun = false;
    const after = await mergeRequests.change(id, actorId, (locked) => {
      const intent = decideCarIntent(locked, whole);
      begun = intent !== undefined;
      return intent;
    });
    if (!begun || after.state !== 'locked') return false;
    faultPoint('train.landing_begun');
    return carryOut(repo, { ...whole, createdAt: edges.clock() }, facts);
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
    const plan = await mergeRequests.plan(id);
    if (plan === undefined) {
      if (mergeRequest.state === 'locked') await reopen(id, 0, 'The merge was interrupted. Please try again.');
      return;
    }
    if (mergeRequest.state === 'merged') return removeSource(plan);
    if (mergeRequest.state !== 'locked') return dropPlan(plan);
    const { repo } = await edges.openRepository(plan.projectId);
    const landed = await carryOut(repo, plan);
    logger.info({ merge_request_id: id, landed }, 'an interrupted merge was settled');
  }

  return { land, landCar, finish, settle };
}
