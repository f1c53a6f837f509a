import { forbidden, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import {
  type DescribedRequest,
  displayText,
  hasHealthStatus,
  notApplied,
  trackAll,
  withCommands,
} from '@switchyard/texts';
import {
  allowedAssignees,
  checkIssueFields,
  type IssueType,
  mayAdminIssue,
  mayDateIssue,
  mayUpdateIssue,
} from '../domain/issue';
import { editIssue, type IssueEdit } from '../domain/issue-edit';
import type { IssueView } from '../domain/issue-view';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import type { DecideIssue } from './issue.ports';
import { visibleIssue } from './read-issue';

/** What an edit asks for; what is undefined stays. */
export interface UpdateIssueCommand extends DescribedRequest {
  /** null takes it away. */
  readonly weight?: number | null | undefined;
  readonly issueType?: IssueType | undefined;
  readonly updatedAt?: Date | undefined;
  /** The epic that it becomes part of; null: of none. */
  readonly epicId?: number | null | undefined;
  /**
   * What the caller may not set, and assignees who may not read the issue's project, are refused; they are passed over
   * otherwise.
   */
  readonly strict?: boolean;
}

const managed = [
  'assigneeIds',
  'addAssigneeIds',
  'removeAssigneeIds',
  'labels',
  'milestoneId',
  'dueDate',
  'weight',
  'healthStatus',
  'discussionLocked',
  'issueType',
  'epicId',
  'epic',
] as const;

/**
 * The epic that a request or a command asks for, where the tier has epics. Fails with `not_found` when the caller does
 * not see it, with `forbidden` when they may not change it. A command that names such an epic is passed over, or not
 * found where it is strict.
 */
export async function epicOf(
  { issues }: Pick<IssueEdges, 'issues'>,
  { userId, admin, external, tier }: IssueCaller,
  projectId: number,
  { epicId, epic, strict }: Pick<UpdateIssueCommand, 'epicId' | 'epic' | 'strict'>,
): Promise<number | null | undefined> {
  if (epic === undefined && epicId === undefined) return undefined;
  const viewer = { userId, admin, external };
  const hasEpics = tier !== 'free';
  if (epic !== undefined && epic !== null) {
    const id = hasEpics ? await issues.epicByName(projectId, epic) : undefined;
    if (id !== undefined && (await issues.mayChangeEpic(id, viewer)) === true) return id;
    if (strict === true) throw notFound('Epic');
    // A text that names none that can be used leaves the parameter its effect.
    if (epicId === undefined) return undefined;
  }
  if (!hasEpics) return undefined;
  if (epic === null || epicId === null || epicId === undefined) return null;
  const editable = await issues.mayChangeEpic(epicId, viewer);
  if (editable === undefined) throw notFound('Epic');
  if (!editable) throw forbidden();
  return epicId;
}

/** Whether a command would set what only those who manage issues may. */
const asksToManage = (command: UpdateIssueCommand, { confidential }: IssueView['issue']): boolean =>
  managed.some((field) => command[field] !== undefined) ||
  command.addLabels.length + command.removeLabels.length > 0 ||
  (command.confidential ?? confidential) !== confidential;

/** What only those who manage issues may set, looked up. */
async function metadataOf(
  edges: IssueEdges,
  caller: IssueCaller,
  view: IssueView,
  command: UpdateIssueCommand,
): Promise<IssueEdit> {
  const { projectId } = view.issue;
  const labelIds = async (titles: readonly string[]): Promise<number[]> =>
    (await edges.ensureLabels(caller, projectId, titles)).map(({ id }) => id);
  const people = async (ids: readonly number[] | undefined): Promise<number[] | undefined> => {
    if (ids === undefined) return undefined;
    const wanted = allowedAssignees(caller.tier, ids);
    const readers = await edges.directory.readers(projectId, wanted);
    if (command.strict === true && readers.length < wanted.length) throw forbidden();
    return readers;
  };
  const removed = new Set(command.removeLabels.map((title) => displayText(title).toLowerCase()));
  const { milestoneId } = command;
  const known = milestoneId !== undefined && milestoneId !== 0;
  return {
    assigneeIds: await people(command.assigneeIds),
    addedAssigneeIds: await people(command.addAssigneeIds),
    removedAssigneeIds: command.removeAssigneeIds,
    labelIds: command.labels === undefined ? undefined : await labelIds(command.labels),
    addedLabelIds: await labelIds(command.addLabels),
    removedLabelIds: view.labels.filter(({ title }) => removed.has(title.toLowerCase())).map(({ id }) => id),
    milestoneId:
      milestoneId === undefined
        ? undefined
        : known && (await edges.directory.hasMilestone(projectId, milestoneId))
          ? milestoneId
          : null,
    dueDate: command.dueDate,
    healthStatus: hasHealthStatus(caller.tier) ? command.healthStatus : undefined,
    weight: caller.tier === 'free' ? undefined : command.weight,
    epicId: await epicOf(edges, caller, projectId, command),
    confidential: command.confidential,
    discussionLocked: command.discussionLocked,
    issueType: command.issueType === 'incident' && caller.level < levels.reporter ? undefined : command.issueType,
  };
}

/**
 * Changes, closes or reopens an issue. Its author and its assignees set title, description and state; what else they
 * send is passed over, unless it was to hide the rest: a `/confidential` they may not give is refused. Commands in a
 * description count as what they set. Fails with `not_found`, `forbidden`, `invalid`.
 */
export const updateIssue =
  (edges: IssueEdges) =>
  async (caller: IssueCaller, key: IssueNumber, wanted: UpdateIssueCommand): Promise<void> => {
    const view = await visibleIssue(edges, caller, key);
    if (!mayUpdateIssue(view.issue, view.assigneeIds, caller)) throw forbidden();
    const { tracking, commanded, ...command } = await withCommands(
      edges.commandSteps,
      wanted,
      { kind: 'Issue', age: 'existing' },
      {
        userId: caller.userId,
        projectId: key.projectId,
        tier: caller.tier,
        title: wanted.title ?? view.issue.title,
        assigneeIds: wanted.assigneeIds ?? view.assigneeIds,
      },
    );
    const { title, description, stateEvent } = command;
    const updatedAt = mayDateIssue(caller) ? command.updatedAt : undefined;
    checkIssueFields({ title, description, assignees: command.assigneeIds?.length, updatedAt });
    const manages = mayAdminIssue(caller);
    if (!manages && commanded.has('confidential') && !view.issue.confidential)
      throw forbidden(notApplied('confidential'));
    if (!manages && command.strict === true && asksToManage(command, view.issue)) throw forbidden();
    const edit: IssueEdit = {
      ...(manages ? await metadataOf(edges, caller, view, command) : {}),
      title: title === undefined ? undefined : displayText(title),
      description,
      stateEvent,
      updatedAt,
    };
    const now = edges.clock();
    const decide: DecideIssue = (locked) => {
      const { times, logs } = trackAll(locked.issue, manages ? tracking : []);
      return editIssue(locked, { ...edit, ...times, timelogs: logs }, caller.userId, now);
    };
    const trees = edit.epicId !== undefined || edit.confidential === false;
    await edges.issues.change(view.issue.id, caller.userId, decide, { trees });
  };
