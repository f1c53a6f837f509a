import { AppError, conflict, notAllowed, notFound, unauthorized, unprocessable } from '@switchyard/errors';
import { canAutoMerge, ciFailure, gitFailure, hasToWait, stateFailure } from '../domain/detailed-merge-status';
import { checksOf, type MergeRequestView } from '../domain/merge-request-view';
import type { PipelineStatus } from '../domain/pipeline-status';
import { mayMerge } from '../domain/protected-branch';
import { cannotBeMerged } from './build-merge';
import type { CheckMergeability } from './check-mergeability';
import type { Landing } from './land-merge-request';
import type { Caller, MergeRequestEdges } from './merge-request.edges';
import { noAutoMerge } from './update-merge-request';

/** How a merge is asked for. */
export interface MergeCommand {
  readonly mergeCommitMessage: string | undefined;
  readonly squashCommitMessage: string | undefined;
  readonly squash: boolean | undefined;
  readonly removeSourceBranch: boolean | undefined;
  readonly autoMerge: boolean;
  readonly sha: string | undefined;
}

/** The one strategy there is until a project's merge trains give another. */
export const mergeWhenChecksPass = 'merge_when_checks_pass';

/** Whether someone may merge into a branch of a project (G-4.2-7). */
export const mayMergeInto = async (
  edges: Pick<MergeRequestEdges, 'protectedBranches'>,
  projectId: number,
  branch: string,
  standing: { readonly level: number; readonly admin: boolean },
): Promise<boolean> => standing.level > 0 && mayMerge(await edges.protectedBranches.all(projectId), branch, standing);

/** How often a check is repeated because a push, or another merge into the same branch, made its answer void. */
const checkTries = 10;

/** The merge request with its mergeability known, as far as pushes let it be. */
async function checkedView(
  edges: MergeRequestEdges,
  check: CheckMergeability,
  found: MergeRequestView,
): Promise<MergeRequestView> {
  let view = found;
  for (let tried = 0; tried < checkTries; tried += 1) {
    await check(view);
    const now = await edges.mergeRequests.view({ id: found.mergeRequest.id });
    if (now === undefined) throw notFound();
    view = now;
    const { mergeStatus, state } = view.mergeRequest;
    if (state !== 'opened' || mergeStatus === 'can_be_merged' || mergeStatus === 'cannot_be_merged') break;
  }
  return view;
}

/** Merges, or sets auto-merge, refusing in the order of G-4.2-6; answers the id. */
export const mergeMergeRequest =
  (edges: MergeRequestEdges, { land }: Pick<Landing, 'land'>, check: CheckMergeability) =>
  async (caller: Caller, key: { projectId: number; iid: number }, command: MergeCommand): Promise<number> => {
    const found = await edges.mergeRequests.view(key);
    if (found === undefined) throw notFound();
    const { id, targetBranch } = found.mergeRequest;
    if (caller.userId === 0 || !(await mayMergeInto(edges, key.projectId, targetBranch, caller))) throw unauthorized();

    const now = edges.clock();
    const before = checksOf(found);
    const blocked = stateFailure(before, now) ?? ciFailure(before);
    const auto = command.autoMerge && canAutoMerge(before, now);
    if (blocked !== undefined && !auto) throw notAllowed();

    const view = await checkedView(edges, check, found);
    const after = checksOf(view);
    if (after.mergeStatus !== 'can_be_merged' || gitFailure(after, now) !== undefined) {
      throw unprocessable(cannotBeMerged);
    }
    const head = view.mergeRequest.sourceSha;
    if (command.sha !== undefined && command.sha !== head) {
      throw conflict(`SHA does not match HEAD of source branch: ${head}`);
    }
    // Where a project runs merge trains, auto-merge boards the train here (D8).
    if (auto && hasToWait(after, now)) await setAutoMerge(edges, caller, view, command);
    else {
      await land(id, caller.userId, {
        squash: command.squash,
        mergeCommitMessage: command.mergeCommitMessage,
        squashCommitMessage: command.squashCommitMessage,
        removeSourceBranch: command.removeSourceBranch,
        expectedSha: head,
        targetBranch,
      });
    }
    return id;
  };

async function setAutoMerge(
  edges: MergeRequestEdges,
  caller: Caller,
  view: MergeRequestView,
  command: MergeCommand,
): Promise<void> {
  const { id, sourceSha } = view.mergeRequest;
  await edges.mergeRequests.change(id, caller.userId, ({ mergeRequest }) => {
    if (mergeRequest.state !== 'opened' || mergeRequest.sourceSha !== sourceSha) throw notAllowed();
    return {
      patch: {
        autoMergeStrategy: mergeWhenChecksPass,
        autoMergeUserId: caller.userId,
        autoMergeSha: sourceSha ?? null,
        mergeUserId: caller.userId,
        mergeCommitMessage: command.mergeCommitMessage ?? null,
        squashCommitMessage: command.squashCommitMessage ?? null,
        shouldRemoveSourceBranch: command.removeSourceBranch ?? null,
        ...(command.squash === undefined ? {} : { squash: command.squash }),
        mergeError: null,
      },
      participants: [caller.userId],
      facts: [{ kind: 'acted', act: 'auto_merge_changed', actId: `${id}-${mergeRequest.lockVersion + 1}` }],
      // Its pipeline may have ended between the look at it and this commit.
      jobs: [{ kind: 'auto_merge', mergeRequestId: id }],
    };
  });
}

/** Takes auto-merge back (G-4.2-1): whoever may merge, or the author. */
export const cancelAutoMerge =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: { projectId: number; iid: number }): Promise<void> => {
    const view = await edges.mergeRequests.view(key);
    if (view === undefined) throw notFound();
    const { id, targetBranch, authorId } = view.mergeRequest;
    const may =
      caller.userId > 0 &&
      (caller.userId === authorId || (await mayMergeInto(edges, key.projectId, targetBranch, caller)));
    if (!may) throw unauthorized();
    await edges.mergeRequests.change(id, caller.userId, ({ mergeRequest }) => {
      if (mergeRequest.state !== 'opened' || mergeRequest.autoMergeStrategy === undefined) {
        throw new AppError('not_acceptable', "Can't cancel the automatic merge");
      }
      return {
        patch: noAutoMerge,
        facts: [{ kind: 'acted', act: 'auto_merge_changed', actId: `${id}-${mergeRequest.lockVersion + 1}` }],
      };
    });
  };

/** Auto-merge was asked for a pipeline that succeeds, even where the project would take one that failed. */
const succeeded = (status: PipelineStatus | undefined): boolean =>
  status === undefined || status === 'success' || status === 'skipped';

/**
 * The job behind auto-merge: merges when everything allows it, waits when something is still open, and takes auto-merge back when
 * whoever set it may not merge any more or the head is not the one they saw.
 */
export const runAutoMerge =
  (edges: MergeRequestEdges, { land }: Pick<Landing, 'land'>, check: CheckMergeability) =>
  async (id: number): Promise<void> => {
    const found = await edges.mergeRequests.view({ id });
    if (found === undefined) return;
    const { mergeRequest } = found;
    const { autoMergeStrategy, autoMergeUserId, autoMergeSha, projectId, targetBranch } = mergeRequest;
    if (mergeRequest.state !== 'opened' || autoMergeStrategy === undefined || autoMergeUserId === undefined) return;
    if (hasToWait(checksOf(found), edges.clock()) || !succeeded(found.pipelineStatus)) return;
    const giveUp = async (mergeError: string): Promise<void> => {
      await edges.mergeRequests.change(id, 0, (locked) =>
        locked.mergeRequest.autoMergeStrategy === undefined ? undefined : { patch: { ...noAutoMerge, mergeError } },
      );
    };
    const project = await edges.directory.project(projectId);
    if (project === undefined) return;
    if (project.archived) return giveUp('The project was archived.');
    const standing = await edges.directory.standing(autoMergeUserId, projectId);
    if (!(await mayMergeInto(edges, projectId, targetBranch, standing))) {
      return giveUp('The user who set auto-merge may no longer merge into the target branch.');
    }
    const view = await checkedView(edges, check, found);
    if (view.mergeRequest.state !== 'opened' || view.mergeRequest.sourceSha !== autoMergeSha) return;
    const checks = checksOf(view);
    if (checks.mergeStatus !== 'can_be_merged' || gitFailure(checks, edges.clock()) !== undefined) return;
    try {
      await land(id, autoMergeUserId, { expectedSha: autoMergeSha, targetBranch });
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'unavailable' || error.kind === 'internal') throw error;
      await giveUp(`Auto-merge failed: ${cannotBeMerged}`);
    }
  };
