import {
  changedSet,
  countTasks,
  type HealthStatus,
  mentionsIn,
  newMentions,
  repeatedText,
  type SpentTime,
} from '@switchyard/texts';
import { checkIssueFields, type Issue, type IssueState, type IssueType } from './issue';
import type { IssueChange, IssueFact, IssueFieldChange, IssuePatch, LockedIssue } from './issue-change';

/** What an edit sets, looked up and allowed; what is undefined stays, null clears. */
export interface IssueEdit {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  /** In place of the present ones. */
  readonly assigneeIds?: readonly number[] | undefined;
  readonly addedAssigneeIds?: readonly number[] | undefined;
  readonly removedAssigneeIds?: readonly number[] | undefined;
  /** In place of the present ones. */
  readonly labelIds?: readonly number[] | undefined;
  readonly addedLabelIds?: readonly number[] | undefined;
  readonly removedLabelIds?: readonly number[] | undefined;
  readonly milestoneId?: number | null | undefined;
  readonly dueDate?: string | null | undefined;
  readonly weight?: number | null | undefined;
  readonly healthStatus?: HealthStatus | null | undefined;
  readonly confidential?: boolean | undefined;
  readonly discussionLocked?: boolean | undefined;
  readonly issueType?: IssueType | undefined;
  /** Seconds. */
  readonly timeEstimate?: number | undefined;
  /** Seconds in all. */
  readonly totalTimeSpent?: number | undefined;
  /** What explains a new time spent. */
  readonly timelogs?: readonly SpentTime[] | undefined;
  /** The entry of time that goes. */
  readonly removedTimelogId?: number | undefined;
  readonly updatedAt?: Date | undefined;
  /** The epic that it becomes part of. */
  readonly epicId?: number | null | undefined;
  /** The merge request that closes it. */
  readonly byMergeRequestId?: number | undefined;
}

const without = (from: readonly number[], ids: readonly number[]): number[] => from.filter((id) => !ids.includes(id));

/** The state after an event; undefined when it stays. */
function nextState(state: IssueState, event: IssueEdit['stateEvent']): IssueState | undefined {
  if (event === 'close') return state === 'opened' ? 'closed' : undefined;
  return event === 'reopen' && state === 'closed' ? 'opened' : undefined;
}

const written = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** Fields that are set as they come, and their public names. */
const plainFields = {
  milestoneId: 'milestone',
  dueDate: 'due_date',
  weight: 'weight',
  healthStatus: 'health_status',
  confidential: 'confidential',
  discussionLocked: 'discussion_locked',
  issueType: 'issue_type',
  timeEstimate: 'time_estimate',
  totalTimeSpent: 'time_spent',
} as const satisfies { readonly [F in keyof IssuePatch & keyof IssueEdit]?: string };

const plainNames = Object.entries(plainFields) as [keyof typeof plainFields, string][];

/** An unset flag is as good as false. */
const present = (issue: Issue, field: keyof typeof plainFields): unknown =>
  field === 'discussionLocked' ? (issue.discussionLocked ?? false) : (issue[field] ?? null);

/**
 * What an edit changes in an issue; undefined when it changes nothing. Fails with `invalid` for more assignees than
 * there may be.
 */
export function editIssue(locked: LockedIssue, edit: IssueEdit, actorId: number, now: Date): IssueChange | undefined {
  const { issue } = locked;
  const fields: string[] = [];
  const changes: IssueFieldChange[] = [];
  let patch: IssuePatch = {};
  const { title, description } = edit;
  if (title !== undefined && title !== issue.title) {
    fields.push('title');
    changes.push({ field: 'title', old: issue.title, new: title });
    patch = { ...patch, title };
  }
  if (description !== undefined && description !== (issue.description ?? '')) {
    const tasks = countTasks(description);
    fields.push('description');
    patch = {
      ...patch,
      description: description === '' ? null : description,
      taskCount: tasks.count,
      completedTaskCount: tasks.completed,
    };
  }
  for (const [field, name] of plainNames) {
    const value = edit[field];
    const before = present(issue, field);
    if (value === undefined || value === before) continue;
    fields.push(name);
    changes.push({ field: name, old: written(before), new: written(value) });
    patch = { ...patch, [field]: value };
  }
  const epicId = edit.epicId === (locked.epicId ?? null) ? undefined : edit.epicId;
  if (epicId !== undefined) {
    fields.push('epic_id');
    changes.push({ field: 'epic_id', old: written(locked.epicId), new: written(epicId) });
  }
  const assigneeIds = changedSet(locked.assigneeIds, {
    all: edit.assigneeIds,
    added: edit.addedAssigneeIds,
    removed: edit.removedAssigneeIds,
  });
  const labelIds = changedSet(locked.labelIds, {
    all: edit.labelIds,
    added: edit.addedLabelIds,
    removed: edit.removedLabelIds,
  });
  const addedAssigneeIds = without(assigneeIds, locked.assigneeIds);
  const removedAssigneeIds = without(locked.assigneeIds, assigneeIds);
  if (addedAssigneeIds.length > 0) checkIssueFields({ assignees: assigneeIds.length });
  const addedLabelIds = without(labelIds, locked.labelIds);
  const removedLabelIds = without(locked.labelIds, labelIds);
  if (addedAssigneeIds.length + removedAssigneeIds.length > 0) fields.push('assignees');
  if (addedLabelIds.length + removedLabelIds.length > 0) fields.push('labels');

  const facts: IssueFact[] = [];
  if (fields.length > 0) {
    const texts = [title ?? issue.title, description ?? issue.description] as const;
    facts.push({
      kind: 'updated',
      addedAssigneeIds,
      removedAssigneeIds,
      addedLabelIds,
      removedLabelIds,
      mentions: newMentions(mentionsIn(issue.title, issue.description), mentionsIn(...texts)),
      changedFields: fields,
      changes,
      ...(fields.includes('description') ? { oldDescription: repeatedText(issue.description ?? '') } : {}),
    });
  }
  const state = nextState(issue.state, edit.stateEvent);
  if (state === 'closed') {
    patch = { ...patch, state, closedById: actorId, closedAt: now };
    facts.push({ kind: 'closed', byMergeRequestId: edit.byMergeRequestId });
  } else if (state === 'opened') {
    patch = { ...patch, state, closedById: null, closedAt: null };
    facts.push({ kind: 'reopened' });
  }
  // A new timestamp alone is not published.
  if (facts.length === 0) return edit.updatedAt === undefined ? undefined : { patch: { updatedAt: edit.updatedAt } };
  return {
    patch: edit.updatedAt === undefined ? patch : { ...patch, updatedAt: edit.updatedAt },
    assigneeIds,
    labelIds,
    participants: [actorId, ...assigneeIds],
    timelogs: edit.timelogs,
    removedTimelogId: edit.removedTimelogId,
    epicId,
    facts,
  };
}
