import { conflict } from '@switchyard/errors';
import type { IssueMove, LockedIssue } from './issue-change';
import type { CopyRules } from './issue-copy';

/** Where an issue moves to, looked up in that project. */
export interface MoveTarget {
  readonly projectId: number;
  /** Labels there with the titles of the present ones. */
  readonly labelIds: readonly number[];
  /** The milestone there with the title of the present one; undefined when there is none. */
  readonly milestoneId: number | undefined;
  /** Those of the assignees who see that project. */
  readonly readers: readonly number[];
}

/**
 * Moves an issue: a copy of it is opened in the other project, and the old one is closed.
 * @throws AppError conflict when it was moved in the meantime
 */
export function decideMove(
  { issue, assigneeIds }: LockedIssue,
  { projectId, labelIds, milestoneId, readers }: MoveTarget,
  { actorId, copy, now }: { readonly actorId: number; readonly copy: CopyRules; readonly now: Date },
): IssueMove {
  if (issue.movedToId !== undefined) throw conflict('Cannot move issue that was moved already!');
  const closes = issue.state === 'opened';
  return {
    replacement: {
      projectId,
      authorId: issue.authorId,
      title: issue.title,
      description: issue.description && copy.rewritten(issue.description),
      issueType: issue.issueType,
      confidential: issue.confidential,
      discussionLocked: issue.discussionLocked,
      severity: issue.severity,
      milestoneId,
      dueDate: issue.dueDate,
      weight: issue.weight,
      healthStatus: issue.healthStatus,
      timeEstimate: issue.timeEstimate,
      totalTimeSpent: issue.totalTimeSpent,
      taskCount: issue.taskCount,
      completedTaskCount: issue.completedTaskCount,
      assigneeIds: assigneeIds.filter((id) => readers.includes(id)),
      labelIds,
      mentions: { usernames: [], directlyAddressed: [] },
      // An alert has one incident, and the newer issue is it.
      alertId: issue.alertId,
      createdAt: issue.createdAt,
    },
    copy,
    changeOld: ({ id, iid, projectId: to }) => ({
      patch: {
        movedToId: id,
        ...(closes ? { state: 'closed' as const, closedById: actorId, closedAt: now } : {}),
      },
      participants: [actorId],
      facts: [{ kind: 'moved', to: { id, iid, projectId: to } }, ...(closes ? [{ kind: 'closed' } as const] : [])],
    }),
  };
}
