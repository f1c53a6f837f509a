import { forbidden, invalid, notFound, unprocessable } from '@switchyard/errors';
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
import type { Caller } from '../../callers';
import { readHeads } from '../../git';
import { developer } from '../../repositories';
import { allowedPeople, checkMergeRequestFields, isDraftTitle } from '../domain/merge-request';
import { compareBranches } from './compare-branches';
import { keepHeadRef } from './keep-head-ref';
import type { MergeRequestEdges } from './merge-request.edges';

/** A merge request as it is requested. */
export interface CreateMergeRequestCommand {
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

/**
 * Opens a merge request; returns its id. Commands in its description count as what they set. Refusals are those of
 * G-4.2-4.
 */
export const createMergeRequest =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, wanted: CreateMergeRequestCommand): Promise<number> => {
    if (caller.level < developer) throw forbidden();
    const { projectId, sourceBranch, targetBranch } = wanted;
    if (wanted.targetProjectId !== projectId) {
      throw unprocessable(['Source project is not a fork of the target project']);
    }
    const project = await edges.directory.project(projectId);
    if (project === undefined) throw notFound('Project');
    if (!project.settings.mergeRequestsEnabled) throw unprocessable(['Target project has disabled merge requests']);
    if (sourceBranch === targetBranch) {
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
    const heads = await readHeads(repo, [sourceBranch, targetBranch]);
    const [source, target] = [heads.get(sourceBranch), heads.get(targetBranch)];
    if (source === undefined || target === undefined) {
      throw invalid({
        ...(source === undefined ? { source_branch: ['does not exist'] } : {}),
        ...(target === undefined ? { target_branch: ['does not exist'] } : {}),
      });
    }
    const [assigneeIds, reviewerIds, labels, milestone, diff] = await Promise.all([
      edges.directory.readers(projectId, allowedPeople(caller.tier, assignees)),
      edges.directory.readers(projectId, allowedPeople(caller.tier, command.reviewerIds)),
      edges.ensureLabels(caller, projectId, [...new Set([...command.labels, ...command.addLabels])]),
      command.milestoneId !== undefined && edges.directory.hasMilestone(projectId, command.milestoneId),
      compareBranches(repo, target, source),
    ]);
    const tasks = countTasks(command.description);
    const created = await edges.mergeRequests.create({
      projectId,
      sourceProjectId: projectId,
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
      forceRemoveSourceBranch: command.removeSourceBranch ?? project.settings.removeSourceBranchAfterMerge,
      allowCollaboration: command.allowCollaboration,
      approvalsBeforeMerge: command.approvalsBeforeMerge,
      milestoneId: milestone ? command.milestoneId : undefined,
      mergeAfter: command.mergeAfter,
      discussionLocked: command.discussionLocked,
      ...unspent,
      ...trackAll(unspent, tracking),
      assigneeIds,
      reviewerIds,
      labelIds: labels.map(({ id }) => id),
      diff,
      mentions: mentionsIn(command.title, command.description),
      issueReferences: issueReferences([command.title, command.description], edges.externalUrl),
    });
    await keepHeadRef(edges, repo, { projectId, iid: created.iid }, source);
    return created.id;
  };
