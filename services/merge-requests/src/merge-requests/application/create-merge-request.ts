import { type AppError, forbidden, invalid, notFound, unprocessable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import {
  changedSet,
  countTasks,
  displayText,
  issueReferences,
  mentionsIn,
  trackAll,
  type WorkTimes,
  withCommands,
} from '@switchyard/texts';
import { type Caller, inProject } from '../../callers';
import { readHeads } from '../../git';
import { developer } from '../../repositories';
import { allowedPeople, checkMergeRequestFields, isDraftTitle } from '../domain/merge-request';
import { compareBranches } from './compare-branches';
import { catchUpWithSource } from './follow-ref-changes';
import { keepHeadRef } from './keep-head-ref';
import type { MergeRequestEdges } from './merge-request.edges';
import { bringSource, isAcross, readSource } from './source-branch';
import { canCollaborate } from './source-right';

faultPoints.push('merge_request.created');

/** A merge request as it is requested. */
export interface CreateMergeRequestCommand {
  /** Project of the source branch. */
  readonly projectId: number;
  readonly targetProjectId: number;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
  readonly labels: readonly string[];
  readonly milestoneId: number | undefined;
  readonly removeSourceBranch?: boolean | undefined;
  readonly squash?: boolean | undefined;
  readonly allowCollaboration: boolean;
  readonly mergeAfter?: Date | undefined;
  readonly approvalsBeforeMerge?: number | undefined;
}

/** Times of what no one has worked on. */
const unspent: WorkTimes = { timeEstimate: 0, totalTimeSpent: 0 };

/** Refusal of a merge request between projects that are no forks of each other (G-4.2-4). */
export const unrelated = (): AppError => unprocessable(['Source project is not a fork of the target project']);

/**
 * The caller as the target project knows them: they need to read its code and its merge requests (G-4.2-7).
 * @throws AppError not_found where they do not see it; unprocessable, forbidden
 */
async function callerAtTarget(edges: MergeRequestEdges, caller: Caller, wanted: CreateMergeRequestCommand) {
  const branches = { projectId: wanted.targetProjectId, sourceProjectId: wanted.projectId };
  const project = await edges.directory.project(wanted.targetProjectId);
  if (project === undefined) throw notFound('Project');
  const known = isAcross(branches) ? await edges.directory.target(caller, branches) : undefined;
  if (isAcross(branches)) {
    if (known === undefined) throw notFound('Project');
    if (!known.related) throw unrelated();
  }
  if (!project.settings.mergeRequestsEnabled) throw unprocessable(['Target project has disabled merge requests']);
  if (known === undefined) return { project, author: caller };
  if (!known.opens || project.archived) throw forbidden();
  return { project, author: inProject(caller, known.level) };
}

/**
 * Opens a merge request; returns its id, and the submitter as its project, the target, knows them. It belongs to the target project, the source branch may lie in another of the
 * same network of forks. Commands in its description count as what they set. Refusals are those of G-4.2-4.
 */
export const createMergeRequest =
  (edges: MergeRequestEdges) =>
  async (
    submitter: Caller,
    wanted: CreateMergeRequestCommand,
  ): Promise<{ readonly id: number; readonly caller: Caller }> => {
    if (submitter.level < developer) throw forbidden();
    const { sourceBranch, targetBranch } = wanted;
    const { project, author: caller } = await callerAtTarget(edges, submitter, wanted);
    const projectId = project.id;
    const branches = { projectId, sourceProjectId: wanted.projectId, sourceBranch, targetBranch };
    const across = isAcross(branches);
    if (!across && sourceBranch === targetBranch) {
      throw unprocessable(["You can't use same project/branch for source and target"]);
    }
    const { tracking, ...command } = await withCommands(
      edges.commandSteps,
      { ...wanted, addAssigneeIds: [], addLabels: [], removeLabels: [], discussionLocked: undefined },
      { kind: 'MergeRequest', age: 'new' },
      { userId: caller.userId, projectId, tier: caller.tier, title: wanted.title, assigneeIds: wanted.assigneeIds },
    );
    const assignees = changedSet(command.assigneeIds, { added: command.addAssigneeIds });
    checkMergeRequestFields({
      title: command.title,
      description: command.description,
      assignees: assignees.length,
      reviewers: command.reviewerIds.length,
    });
    const { repo } = await edges.openRepository(projectId);
    const heads = await readHeads(repo, [...(across ? [] : [sourceBranch]), targetBranch]);
    const target = heads.get(targetBranch);
    const source = across ? await readSource(edges, branches) : heads.get(sourceBranch);
    if (source === undefined || target === undefined) {
      throw invalid({
        ...(source === undefined ? { source_branch: ['does not exist'] } : {}),
        ...(target === undefined ? { target_branch: ['does not exist'] } : {}),
      });
    }
    if (across) await bringSource(edges, branches, source);
    // It is a branch of the source project: the target's settings do not remove it.
    const sourceSettings = across
      ? ((await edges.directory.project(wanted.projectId))?.settings ?? project.settings)
      : project.settings;
    const [assigneeIds, reviewerIds, labels, milestone, diff] = await Promise.all([
      edges.directory.readers(projectId, allowedPeople(caller.tier, assignees)),
      edges.directory.readers(projectId, allowedPeople(caller.tier, command.reviewerIds)),
      edges.ensureLabels(caller, projectId, [...new Set([...command.labels, ...command.addLabels])]),
      command.milestoneId !== undefined && edges.directory.hasMilestone(projectId, command.milestoneId),
      compareBranches(repo, target, source),
    ]);
    const tasks = countTasks(command.description);
    const times = trackAll(unspent, tracking);
    const created = await edges.mergeRequests.create({
      projectId,
      sourceProjectId: wanted.projectId,
      sourceBranch,
      targetBranch,
      authorId: caller.userId,
      title: displayText(command.title),
      description: command.description || undefined,
      draft: isDraftTitle(command.title),
      taskCount: tasks.count,
      completedTaskCount: tasks.completed,
      sourceSha: source,
      targetSha: target,
      squash: command.squash ?? ['always', 'default_on'].includes(project.settings.squashOption),
      forceRemoveSourceBranch: command.removeSourceBranch ?? sourceSettings.removeSourceBranchAfterMerge,
      allowCollaboration: command.allowCollaboration && (await canCollaborate(edges, branches)),
      approvalsBeforeMerge: command.approvalsBeforeMerge,
      milestoneId: milestone ? command.milestoneId : undefined,
      mergeAfter: command.mergeAfter,
      discussionLocked: command.discussionLocked,
      ...unspent,
      ...times.times,
      timelogs: times.logs,
      assigneeIds,
      reviewerIds,
      labelIds: labels.map(({ id }) => id),
      diff,
      mentions: mentionsIn(command.title, command.description),
      issueReferences: issueReferences([command.title, command.description], edges.externalUrl),
    });
    faultPoint('merge_request.created');
    await keepHeadRef(edges, repo, { projectId, iid: created.iid }, source);
    await catchUpWithSource(edges)(created.id, caller.userId);
    return { id: created.id, caller };
  };
