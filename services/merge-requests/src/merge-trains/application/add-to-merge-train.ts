import { badRequest, isAppError, notFound, unauthorized } from '@switchyard/errors';
import type { Caller } from '../../callers';
import {
  addCarOrWait,
  alreadySet,
  type CheckMergeability,
  expectHead,
  withKnownMergeability,
} from '../../merge-requests';
import { mayMergeInto } from '../../repositories';
import type { MergeTrainEdges } from './merge-train.edges';

/** How a merge request is put on a train by hand (G-4.1-4). */
export interface AddToMergeTrainCommand {
  /** What the head of the source branch must be; undefined: whatever it is. */
  readonly sha: string | undefined;
  readonly squash: boolean | undefined;
  /** Join once the checks pass. */
  readonly autoMerge: boolean;
}

const failedToMerge = () => badRequest('Failed to merge');

/** Puts a merge request on the train of its target branch; the refusals are those of G-4.1-4, in its order. */
export const addToMergeTrain =
  (edges: MergeTrainEdges, check: CheckMergeability) =>
  async (
    caller: Caller,
    key: { projectId: number; iid: number },
    command: AddToMergeTrainCommand,
  ): Promise<{ outcome: 'added' | 'scheduled'; targetBranch: string }> => {
    const found = await edges.mergeRequests.view(key);
    if (found === undefined) throw notFound();
    const { targetBranch, state, autoMergeStrategy } = found.mergeRequest;
    expectHead(found, command.sha);
    if ((state === 'opened' || state === 'locked') && autoMergeStrategy !== undefined) throw alreadySet();
    if (caller.userId === 0 || !(await mayMergeInto(edges, key.projectId, targetBranch, caller))) throw unauthorized();
    if (!found.settings.mergeTrains.enabled || state !== 'opened') throw failedToMerge();
    const view = await withKnownMergeability(edges, check, found);
    expectHead(view, command.sha);
    const outcome = await addCarOrWait(edges, caller.userId, view, { squash: command.squash }, command.autoMerge).catch(
      (error: unknown) => {
        // It changed under the request: closed, pushed to, retargeted.
        throw isAppError(error, 'not_allowed') ? failedToMerge() : error;
      },
    );
    if (outcome === 'neither') throw failedToMerge();
    return { outcome, targetBranch };
  };
