import { forbidden } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import {
  changedSet,
  countTasks,
  displayText,
  type HealthStatus,
  hasHealthStatus,
  mentionsIn,
  trackAll,
  withCommands,
} from '@switchyard/texts';
import { allowedAssignees, checkIssueFields, type IssueType, mayAdminIssue, mayDateIssue } from '../domain/issue';
import type { IssueCaller, IssueEdges } from './issue.edges';
import { epicOf } from './update-issue';

/** An issue as it is asked for. */
export interface CreateIssueCommand {
  readonly projectId: number;
  readonly title: string;
  readonly description?: string | undefined;
  readonly issueType: IssueType;
  readonly confidential: boolean;
  readonly assigneeIds: readonly number[];
  readonly labels: readonly string[];
  readonly milestoneId?: number | undefined;
  /** `YYYY-MM-DD`. */
  readonly dueDate?: string | undefined;
  readonly weight?: number | undefined;
  readonly healthStatus?: HealthStatus | undefined;
  readonly createdAt?: Date | undefined;
  readonly iid?: number | undefined;
  readonly discussionLocked: boolean;
  /** The epic that it is part of. */
  readonly epicId?: number | undefined;
}

/**
 * Opens an issue; answers its number. Users who see the project may; what else than text is set by members (a Guest may
 * when creating), and is otherwise passed over, as are a date and a number from others than Owners. Commands in the
 * description count as what they set.
 */
export const createIssue =
  (edges: IssueEdges) =>
  async (caller: IssueCaller, wanted: CreateIssueCommand): Promise<number> => {
    const { projectId } = wanted;
    const project = await edges.directory.project(projectId);
    if (project === undefined || !project.issuesEnabled) throw forbidden();
    const { title, assigneeIds: requested } = wanted;
    const { tracking, ...command } = await withCommands(
      edges.commandSteps,
      { ...wanted, addAssigneeIds: [], addLabels: [], removeLabels: [] },
      { kind: 'Issue', age: 'new' },
      { userId: caller.userId, projectId, tier: caller.tier, title, assigneeIds: requested },
    );
    const { description } = command;
    const assignees = changedSet(command.assigneeIds, { added: command.addAssigneeIds });
    const dates = mayDateIssue(caller);
    const createdAt = dates ? command.createdAt : undefined;
    checkIssueFields({ title: command.title, description, assignees: assignees.length, createdAt });
    const member = caller.admin || caller.level >= levels.guest;
    const [assigneeIds, labels, milestone] = member
      ? await Promise.all([
          edges.directory.readers(projectId, allowedAssignees(caller.tier, assignees)),
          edges.ensureLabels(caller, projectId, [...new Set([...command.labels, ...command.addLabels])]),
          command.milestoneId !== undefined && edges.directory.hasMilestone(projectId, command.milestoneId),
        ])
      : [[], [], false];
    const tasks = countTasks(description);
    const times = trackAll({ timeEstimate: 0, totalTimeSpent: 0 }, mayAdminIssue(caller) ? tracking : []);
    // Incidents are opened by Reporters; what others open is an issue.
    const incident = command.issueType === 'incident' && caller.level < levels.reporter;
    const issue = await edges.issues.create({
      projectId,
      iid: dates ? command.iid : undefined,
      authorId: caller.userId,
      title: displayText(command.title),
      description: description === '' ? undefined : description,
      issueType: incident ? 'issue' : command.issueType,
      confidential: command.confidential,
      discussionLocked: command.discussionLocked && mayAdminIssue(caller) ? true : undefined,
      milestoneId: milestone ? command.milestoneId : undefined,
      dueDate: member ? (command.dueDate ?? undefined) : undefined,
      healthStatus: member && hasHealthStatus(caller.tier) ? (command.healthStatus ?? undefined) : undefined,
      weight: member && caller.tier !== 'free' ? command.weight : undefined,
      ...times.times,
      timelogs: times.logs,
      taskCount: tasks.count,
      completedTaskCount: tasks.completed,
      assigneeIds,
      labelIds: labels.map(({ id }) => id),
      mentions: mentionsIn(command.title, description),
      epicId: member ? ((await epicOf(edges, caller, projectId, command)) ?? undefined) : undefined,
      createdAt,
    });
    return issue.iid;
  };
