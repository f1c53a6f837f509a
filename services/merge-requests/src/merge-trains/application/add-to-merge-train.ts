import { badRequest, forbidden, isAppError, notFound, unauthorized } from '@switchyard/errors';
import type { Caller } from '../../callers';
import {
  addCarOrWait,
  alreadySet,
  type CheckMergeability,
  changeTogether,
  decideMovingToFront,
  expectHead,
  type MergeRequestView,
  onMergeTrain,
  repeatedBoarding,
  withKnownMergeability,
} from '../../merge-requests';
import { maintainer, mayMergeInto } from '../../repositories';
import type { MergeTrainEdges } from './merge-train.edges';

/** How a merge request is put on a train by hand (G-4.1-4). */
export interface AddToMergeTrainCommand {
  /** What the head of the source branch must be; undefined: whatever it is. */
  readonly sha: string | undefined;
  readonly squash: boolean | undefined;
  /** Join once the checks pass. */
  readonly autoMerge: boolean;
  /** Join at the front, or go there; for Maintainers. */
  readonly first: boolean;
}

/** What became of it: it is on the train, or set to join it once its checks pass. */
export interface Boarding {
  readonly outcome: 'added' | 'scheduled';
  readonly targetBranch: string;
}

const failedToMerge = () => badRequest('Failed to merge');

/**
 * Puts a merge request on the train of its target branch; the refusals are those of G-4.1-4, in its order. The same
 * user's same request for the same head is answered as it was before.
 */
export const addToMergeTrain = (edges: MergeTrainEdges, check: CheckMergeability) => {
  // All who join a train lock its row. They wait for that here, where it costs no connection to the database.
  const joining = changeTogether(edges.mergeRequests);

  return async (
    caller: Caller,
    key: { projectId: number; iid: number },
    command: AddToMergeTrainCommand,
  ): Promise<Boarding> => {
    const found = await edges.mergeRequests.view(key);
    if (found === undefined) throw notFound();
    const { targetBranch, state, autoMergeStrategy } = found.mergeRequest;
    const request = { userId: caller.userId, squash: command.squash, autoMerge: command.autoMerge };
    if (command.first && caller.level < maintainer && !caller.admin) throw forbidden();
    expectHead(found, command.sha);
    if (command.first && autoMergeStrategy === onMergeTrain) {
      return moveToFront(edges, caller, found);
    }
    const before = repeatedBoarding(found.mergeRequest, request);
    const isSet = (state === 'opened' || state === 'locked') && autoMergeStrategy !== undefined;
    if (isSet && before === undefined) throw alreadySet();
    if (caller.userId === 0 || !(await mayMergeInto(edges, key.projectId, targetBranch, caller))) throw unauthorized();
    if (before !== undefined) return { outcome: before, targetBranch };
    if (!found.settings.mergeTrains.enabled || state !== 'opened') throw failedToMerge();
    const view = await withKnownMergeability(edges, check, found);
    expectHead(view, command.sha);
    const train = { ...edges, mergeRequests: joining(`${key.projectId}:${targetBranch}`) };
    const options = { squash: command.squash, first: command.first };
    const added = addCarOrWait(train, caller.userId, view, options, command.autoMerge);
    const outcome = await added.catch(async (error: unknown) => {
      // The same request may have come twice at once.
      const twin = isAppError(error, 'conflict') ? await edges.mergeRequests.view(key) : undefined;
      const done = twin && repeatedBoarding(twin.mergeRequest, request);
      if (done !== undefined) return done;
      // It changed under the request: closed, pushed to, retargeted.
      throw isAppError(error, 'not_allowed') ? failedToMerge() : error;
    });
    if (outcome === 'neither') throw failedToMerge();
    return { outcome, targetBranch };
  };
};

/**
 * Moves a merge request that is on its train to the front. Already there, or while it is being merged, nothing happens.
 * @throws AppError unauthorized for a user who may not merge it
 */
async function moveToFront(
  edges: MergeTrainEdges,
  caller: Caller,
  { mergeRequest }: MergeRequestView,
): Promise<Boarding> {
  const { id, projectId, targetBranch } = mergeRequest;
  if (caller.userId === 0 || !(await mayMergeInto(edges, projectId, targetBranch, caller))) throw unauthorized();
  await edges.mergeRequests.change(id, caller.userId, decideMovingToFront);
  return { outcome: 'added', targetBranch };
}
