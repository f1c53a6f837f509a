import { notAllowed, notFound, unauthorized, unprocessable } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { mayMergeInto } from '../../repositories';
import { mergeWhenChecksPass } from '../domain/auto-merge';
import { alreadySet } from '../domain/auto-merge-change';
import { canAutoMerge, ciFailure, gitFailure, hasToWait, stateFailure } from '../domain/detailed-merge-status';
import { checksOf, type MergeRequestView } from '../domain/merge-request-view';
import { addCarOrWait, expectHead } from './add-to-merge-train';
import { cannotBeMerged } from './build-merge';
import { type CheckMergeability, withKnownMergeability } from './check-mergeability';
import { withCurrentThreads } from './current-threads';
import type { Landing } from './land-merge-request';
import type { MergeRequestEdges } from './merge-request.edges';
import { setAutoMerge } from './set-auto-merge';

/** The options of a merge. */
export interface MergeCommand {
  readonly mergeCommitMessage: string | undefined;
  readonly squashCommitMessage: string | undefined;
  readonly squash: boolean | undefined;
  readonly removeSourceBranch: boolean | undefined;
  readonly autoMerge: boolean;
  readonly sha: string | undefined;
  /** Merge past the train, where the project allows it. */
  readonly skipTrain?: boolean;
}

/** Merges, or sets auto-merge, refusing in the order of G-4.2-6; returns the id. */
export const mergeMergeRequest =
  (edges: MergeRequestEdges, { land }: Pick<Landing, 'land'>, check: CheckMergeability) =>
  async (caller: Caller, key: { projectId: number; iid: number }, command: MergeCommand): Promise<number> => {
    const seen = await edges.mergeRequests.view(key);
    if (seen === undefined) throw notFound();
    const { id, targetBranch } = seen.mergeRequest;
    if (caller.userId === 0 || !(await mayMergeInto(edges, key.projectId, targetBranch, caller))) throw unauthorized();

    const found = await withCurrentThreads(edges, seen);
    const now = edges.clock();
    const before = checksOf(found);
    const blocked = stateFailure(before, now) ?? ciFailure(before);
    const trains = found.settings.mergeTrains;
    const skips = trains.enabled && trains.skipAllowed && command.skipTrain === true && blocked === undefined;
    if (trains.enabled && !skips) return addToTrainInstead(edges, check, caller, found, command);
    const auto = !skips && command.autoMerge && canAutoMerge(before, now);
    if (blocked !== undefined && !auto) throw notAllowed();

    const view = await withKnownMergeability(edges, check, found);
    const after = checksOf(view);
    if (after.mergeStatus !== 'can_be_merged' || gitFailure(after, now) !== undefined) {
      throw unprocessable(cannotBeMerged);
    }
    const head = view.mergeRequest.sourceSha;
    expectHead(view, command.sha);
    if (auto && hasToWait(after, now)) await setAutoMerge(edges, caller.userId, view, command, mergeWhenChecksPass);
    else {
      await land(id, caller.userId, {
        squash: command.squash,
        mergeCommitMessage: command.mergeCommitMessage,
        squashCommitMessage: command.squashCommitMessage,
        removeSourceBranch: command.removeSourceBranch,
        expectedSha: head,
        targetBranch,
        skipsTrain: skips,
      });
    }
    return id;
  };

/**
 * With trains on, a merge request lands by the train or, as a mark of auto-merge, joins it later; nothing merges past
 * it (D8).
 */
async function addToTrainInstead(
  edges: MergeRequestEdges,
  check: CheckMergeability,
  caller: Caller,
  found: MergeRequestView,
  command: MergeCommand,
): Promise<number> {
  const { id, state, autoMergeStrategy } = found.mergeRequest;
  if (!command.autoMerge) throw notAllowed();
  if ((state === 'opened' || state === 'locked') && autoMergeStrategy !== undefined) throw alreadySet();
  if (state !== 'opened') throw notAllowed();
  const view = await withKnownMergeability(edges, check, found);
  const checks = checksOf(view);
  if (checks.mergeStatus !== 'can_be_merged') throw unprocessable(cannotBeMerged);
  expectHead(view, command.sha);
  if ((await addCarOrWait(edges, caller.userId, view, command, command.autoMerge)) === 'neither') throw notAllowed();
  return id;
}
