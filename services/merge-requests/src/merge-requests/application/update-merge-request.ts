import { forbidden, invalid } from '@switchyard/errors';
import { displayText, withCommands } from '@switchyard/texts';
import type { Caller } from '../../callers';
import { type Repository, readHeads, type Sha } from '../../git';
import { mayPush } from '../../repositories';
import { allowedPeople, checkMergeRequestFields, type MergeRequest } from '../domain/merge-request';
import { decideEdit, type MergeRequestEdit, type PreparedEdit } from '../domain/merge-request-edit';
import { type MergeRequestView, mayUpdate } from '../domain/merge-request-view';
import { compareBranches } from './compare-branches';
import { unrelated } from './create-merge-request';
import { keepHeadRef } from './keep-head-ref';
import type { MergeRequestEdges } from './merge-request.edges';
import { bringSource, isAcross, readSource } from './source-branch';
import { canCollaborate } from './source-right';
import { viewOf } from './view-of';

/**
 * Changes, closes or reopens a merge request; returns its id. Commands in a description count as what they set.
 * Refusals are those of G-4.2-5.
 */
export const updateMergeRequest =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: { projectId: number; iid: number }, wanted: MergeRequestEdit): Promise<number> => {
    const view = await viewOf(edges, key);
    if (!mayUpdate(caller, view)) throw forbidden();
    const { tracking, ...command } = await withCommands(
      edges.commandSteps,
      wanted,
      { kind: 'MergeRequest', age: 'existing' },
      {
        userId: caller.userId,
        projectId: key.projectId,
        tier: caller.tier,
        title: wanted.title ?? view.mergeRequest.title,
        assigneeIds: wanted.assigneeIds ?? view.assigneeIds,
      },
    );
    const allowCollaboration = await collaborationOf(edges, caller, view.mergeRequest, command.allowCollaboration);
    checkMergeRequestFields({
      title: command.title,
      description: command.description,
      assignees: command.assigneeIds?.length,
      reviewers: command.reviewerIds?.length,
    });
    const { projectId } = key;
    const people = async (ids: readonly number[] | undefined, strict = false): Promise<number[] | undefined> => {
      if (ids === undefined) return undefined;
      const wanted = allowedPeople(caller.tier, ids);
      const readers = await edges.directory.readers(projectId, wanted);
      if (strict && readers.length < wanted.length) throw forbidden();
      return readers;
    };
    const labelIds = async (titles: readonly string[]): Promise<number[]> =>
      (await edges.ensureLabels(caller, projectId, titles)).map(({ id }) => id);
    const removed = new Set(command.removeLabels.map((title) => displayText(title).toLowerCase()));
    const prepared: PreparedEdit = {
      stateAsked: wanted.stateEvent !== undefined,
      assigneeIds: await people(command.assigneeIds, command.strict),
      addedAssigneeIds: await people(command.addAssigneeIds, command.strict),
      reviewerIds: await people(command.reviewerIds),
      labelIds: command.labels === undefined ? undefined : await labelIds(command.labels),
      addedLabelIds: await labelIds(command.addLabels),
      removedLabelIds: view.labels.filter(({ title }) => removed.has(title.toLowerCase())).map(({ id }) => id),
      milestoneId: await milestoneOf(edges, projectId, command.milestoneId),
      ...(await branchesOf(edges, view, command)),
      tracking,
    };
    const now = edges.clock();
    const { id } = view.mergeRequest;
    await edges.mergeRequests.change(id, caller.userId, (locked) =>
      decideEdit(locked, { ...command, allowCollaboration }, prepared, {
        userId: caller.userId,
        now,
        externalUrl: edges.externalUrl,
      }),
    );
    return id;
  };

async function milestoneOf(
  edges: MergeRequestEdges,
  projectId: number,
  id: number | undefined,
): Promise<number | null | undefined> {
  if (id === undefined) return undefined;
  return id !== 0 && (await edges.directory.hasMilestone(projectId, id)) ? id : null;
}

/** The head of a fork's branch, with its commits in the target's repository. @throws AppError as {@link unrelated} */
async function headOfFork(edges: MergeRequestEdges, repo: Repository, mr: MergeRequest): Promise<Sha | undefined> {
  const source = await readSource(edges, mr);
  if (source === undefined) return undefined;
  if (!(await edges.directory.areRelated(mr.projectId, mr.sourceProjectId))) throw unrelated();
  await bringSource(edges, mr, source);
  await keepHeadRef(edges, repo, mr, source);
  return source;
}

/**
 * What is stored of `allow_collaboration`. Only who may push to a fork's branch opens it to those who may merge it, and
 * takes that back. Where it can take no effect it is left out, as GitLab does.
 * @throws AppError forbidden for others
 */
async function collaborationOf(
  edges: MergeRequestEdges,
  caller: Caller,
  mr: MergeRequest,
  allow: boolean | undefined,
): Promise<boolean | undefined> {
  if (allow === undefined || allow === mr.allowCollaboration || !isAcross(mr)) return undefined;
  const rules = await edges.protectedBranches.all(mr.sourceProjectId);
  const access = await edges.directory.accessOf(caller.userId, mr.sourceProjectId);
  if (!mayPush(rules, mr.sourceBranch, access)) throw forbidden();
  return allow && !(await canCollaborate(edges, mr)) ? undefined : allow;
}

async function branchesOf(
  edges: MergeRequestEdges,
  { mergeRequest }: MergeRequestView,
  { targetBranch, stateEvent }: MergeRequestEdit,
): Promise<Pick<PreparedEdit, 'target' | 'source'>> {
  const moves = targetBranch !== undefined && targetBranch !== mergeRequest.targetBranch;
  if (!moves && stateEvent !== 'reopen') return { target: undefined, source: undefined };
  const across = isAcross(mergeRequest);
  if (moves && !across && targetBranch === mergeRequest.sourceBranch) {
    throw invalid({ branch_conflict: ["You can't use same project/branch for source and target"] });
  }
  const { repo } = await edges.openRepository(mergeRequest.projectId);
  const into = targetBranch ?? mergeRequest.targetBranch;
  const heads = await readHeads(repo, [...(across ? [] : [mergeRequest.sourceBranch]), into]);
  const target = heads.get(into);
  const source = across ? await headOfFork(edges, repo, mergeRequest) : heads.get(mergeRequest.sourceBranch);
  if (target === undefined) {
    if (moves) throw invalid({ target_branch: ['does not exist'] });
    return { target: undefined, source };
  }
  return {
    source,
    target: { sha: target, diff: source === undefined ? undefined : await compareBranches(repo, target, source) },
  };
}
