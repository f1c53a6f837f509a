import { forbidden } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { trackAll, withCommands } from '@switchyard/texts';
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
import { visibleIssue } from './read-issue';

/** What an edit asks for; what is undefined stays. */
export interface UpdateIssueCommand {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  readonly assigneeIds?: readonly number[] | undefined;
  /** In place of the present ones. */
  readonly labels?: readonly string[] | undefined;
  readonly addLabels: readonly string[];
  readonly removeLabels: readonly string[];
  /** 0 takes it away. */
  readonly milestoneId?: number | undefined;
  /** `YYYY-MM-DD`; null takes it away. */
  readonly dueDate?: string | null | undefined;
  /** null takes it away. */
  readonly weight?: number | null | undefined;
  readonly confidential?: boolean | undefined;
  readonly discussionLocked?: boolean | undefined;
  readonly issueType?: IssueType | undefined;
  readonly updatedAt?: Date | undefined;
}

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
  const removed = new Set(command.removeLabels.map((title) => title.toLowerCase()));
  const { milestoneId } = command;
  const known = milestoneId !== undefined && milestoneId !== 0;
  return {
    assigneeIds:
      command.assigneeIds === undefined
        ? undefined
        : await edges.directory.readers(projectId, allowedAssignees(caller.tier, command.assigneeIds)),
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
    weight: caller.tier === 'free' ? undefined : command.weight,
    confidential: command.confidential,
    discussionLocked: command.discussionLocked,
    issueType: command.issueType === 'incident' && caller.level < levels.reporter ? undefined : command.issueType,
  };
}

/**
 * Changes, closes or reopens an issue. Its author and its assignees set title, description and state; what else they send is passed
 * over. Commands in a description count as what they set. Fails with `not_found`, `forbidden`, `invalid`.
 */
export const updateIssue =
  (edges: IssueEdges) =>
  async (caller: IssueCaller, key: IssueNumber, wanted: UpdateIssueCommand): Promise<void> => {
    const view = await visibleIssue(edges, caller, key);
    if (!mayUpdateIssue(view.issue, view.assigneeIds, caller)) throw forbidden();
    const { tracking, ...command } = await withCommands(
      edges.commandSteps,
      wanted,
      { kind: 'Issue', age: 'existing' },
      {
        userId: caller.userId,
        projectId: key.projectId,
        title: wanted.title ?? view.issue.title,
        assigneeIds: wanted.assigneeIds ?? view.assigneeIds,
      },
    );
    const { title, description, stateEvent } = command;
    const updatedAt = mayDateIssue(caller) ? command.updatedAt : undefined;
    checkIssueFields({ title, description, assignees: command.assigneeIds?.length, updatedAt });
    const manages = mayAdminIssue(caller);
    const edit: IssueEdit = {
      ...(manages ? await metadataOf(edges, caller, view, command) : {}),
      title: title?.trim(),
      description,
      stateEvent,
      updatedAt,
    };
    const now = edges.clock();
    await edges.issues.change(view.issue.id, caller.userId, (locked) =>
      editIssue(locked, { ...edit, ...(manages ? trackAll(locked.issue, tracking) : {}) }, caller.userId, now),
    );
  };
