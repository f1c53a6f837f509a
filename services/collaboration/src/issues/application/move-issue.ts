import { fullPath } from '@switchyard/directory';
import { invalid, notFound } from '@switchyard/errors';
import { relocated } from '@switchyard/texts';
import { seesInternal } from '../../noteables';
import { mayAdminIssue } from '../domain/issue';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import { type IssueDetails, readIssueById, visibleIssue } from './read-issue';

/**
 * Moves an issue to another project, where a new issue takes its place with the labels and the milestone that are called the same there,
 * and those of its assignees who see the project. What description and notes name by number is named by full paths. Internal notes stay behind where the caller may not read them. Answers the new issue. Fails with `not_found`; with `invalid` where the caller
 * may not manage issues in both projects.
 */
export const moveIssue =
  (edges: IssueEdges) =>
  async (caller: IssueCaller, key: IssueNumber, toProjectId: number): Promise<IssueDetails> => {
    const view = await visibleIssue(edges, caller, key);
    const { userId, admin, external } = caller;
    const [project, level] = await Promise.all([
      edges.directory.project(toProjectId),
      edges.directory.levelIn({ userId, admin, external }, toProjectId),
    ]);
    if (project === undefined || level === undefined) throw notFound('Project');
    if (toProjectId === key.projectId) throw invalid('Cannot move issue to project it originates from!');
    const allowed =
      mayAdminIssue(caller) && mayAdminIssue({ userId, admin, level }) && project.issuesEnabled && !project.archived;
    if (!allowed || view.issue.movedToId !== undefined) {
      throw invalid('Cannot move issue due to insufficient permissions!');
    }
    const [labelIds, milestoneId, readers] = await Promise.all([
      edges.directory.labelsByTitles(
        toProjectId,
        view.labels.map(({ title }) => title),
      ),
      view.milestone && edges.directory.milestoneByTitle(toProjectId, view.milestone.title),
      edges.directory.readers(toProjectId, view.assigneeIds),
    ]);
    const oldPath = fullPath(view.project);
    const reworded = (text: string): string => relocated(text, oldPath);
    const rules = { internal: seesInternal(caller), reworded };
    const made = await edges.issues.move(view.issue.id, userId, rules, ({ issue, assigneeIds }) => ({
      projectId: toProjectId,
      authorId: issue.authorId,
      title: issue.title,
      description: issue.description && reworded(issue.description),
      issueType: issue.issueType,
      confidential: issue.confidential,
      discussionLocked: issue.discussionLocked,
      severity: issue.severity,
      milestoneId,
      dueDate: issue.dueDate,
      weight: issue.weight,
      timeEstimate: issue.timeEstimate,
      totalTimeSpent: issue.totalTimeSpent,
      taskCount: issue.taskCount,
      completedTaskCount: issue.completedTaskCount,
      assigneeIds: assigneeIds.filter((id) => readers.includes(id)),
      labelIds,
      mentions: { usernames: [], directlyAddressed: [] },
      createdAt: issue.createdAt,
    }));
    return readIssueById(edges)(caller, made.id);
  };
