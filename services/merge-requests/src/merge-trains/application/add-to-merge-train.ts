import { badRequest, isAppError, notFound, unauthorized } from '@switchyard/errors';
import type { Caller } from '../../callers';
import {
  addCarOrWait,
  alreadySet,
  type CheckMergeability,
  expectHead,
  inTurns,
  repeatedBoarding,
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
  const turns = inTurns<string>();

  return async (
    caller: Caller,
    key: { projectId: number; iid: number },
    command: AddToMergeTrainCommand,
  ): Promise<Boarding> => {
    const found = await edges.mergeRequests.view(key);
    if (found === undefined) throw notFound();
    const { targetBranch, state, autoMergeStrategy } = found.mergeRequest;
    const request = { userId: caller.userId, squash: command.squash, autoMerge: command.autoMerge };
    expectHead(found, command.sha);
    const before = repeatedBoarding(found.mergeRequest, request);
    const isSet = (state === 'opened' || state === 'locked') && autoMergeStrategy !== undefined;
    if (isSet && before === undefined) throw alreadySet();
    if (caller.userId === 0 || !(await mayMergeInto(edges, key.projectId, targetBranch, caller))) throw unauthorized();
    if (before !== undefined) return { outcome: before, targetBranch };
    if (!found.settings.mergeTrains.enabled || state !== 'opened') throw failedToMerge();
    const view = await withKnownMergeability(edges, check, found);
    expectHead(view, command.sha);
    const add = () => addCarOrWait(edges, caller.userId, view, { squash: command.squash }, command.autoMerge);
    const outcome = await turns(`${key.projectId}:${targetBranch}`, add).catch(async (error: unknown) => {
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
