import type { ImportedEvent, ImportedTimelog, MilestoneName } from '@switchyard/directory';
import { ascending, fieldsToTake, type ImportedFields, importedFields } from '@switchyard/texts';
import type { IssueChange, IssuePatch, LockedIssue, NewIssue } from './issue-change';

/** Where something is imported to, and what it is marked with. */
export interface ImportKey {
  readonly projectId: number;
  /** Kind of the forge. */
  readonly importedFrom: string;
}

/** An issue as it was at another forge. */
export interface ImportedIssue {
  readonly iid: number;
  readonly authorId: number;
  readonly title: string;
  readonly description: string | undefined;
  /** Undefined for an open one. */
  readonly closedAt: Date | undefined;
  /** Titles. */
  readonly labels: readonly string[];
  readonly milestone: MilestoneName | undefined;
  readonly assigneeIds: readonly number[];
  readonly locked: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly taskCount?: number;
  readonly completedTaskCount?: number;
  /** What an archive of a project says beside. */
  readonly more?: MoreOfIssue;
}

/** What an issue of this product has and those of other forges do not. */
export interface MoreOfIssue
  extends Required<Pick<NewIssue, 'issueType' | 'confidential' | 'severity' | 'timeEstimate' | 'totalTimeSpent'>>,
    Pick<NewIssue, 'dueDate' | 'weight' | 'healthStatus' | 'discussionLocked'> {
  readonly closedById: number | undefined;
  /** Who takes part beside its author and assignees. */
  readonly participantIds: readonly number[];
  /** Who takes part by internal notes alone. */
  readonly internalParticipantIds: readonly number[];
  readonly timelogs: readonly ImportedTimelog[];
}

/** An event of an imported issue. */
export type ImportedIssueEvent = Omit<ImportedEvent, 'ownerId'> & { readonly iid: number };

/** Fields of an issue that a refresh of its import may overwrite. */
export interface RefreshedFields {
  readonly title: string;
  readonly description: string | undefined;
  readonly closedAt: Date | undefined;
  readonly labelIds: readonly number[];
  readonly milestoneId: number | undefined;
  readonly assigneeIds: readonly number[];
  readonly locked: boolean;
  readonly updatedAt: Date;
  readonly taskCount: number;
  readonly completedTaskCount: number;
}

/** Digests of what an import writes of an issue. */
export const fieldsOfImported = (issue: Omit<RefreshedFields, 'updatedAt' | 'taskCount' | 'completedTaskCount'>) =>
  importedFields({
    title: issue.title,
    description: issue.description ?? '',
    state: issue.closedAt === undefined ? 'opened' : 'closed',
    labels: ascending(issue.labelIds),
    milestone: issue.milestoneId ?? 0,
    assignees: ascending(issue.assigneeIds),
    locked: issue.locked,
  });

/**
 * What a refresh changes of an issue: fields that changed at the forge and still are what an import wrote (ADR 73).
 * @returns undefined for nothing
 */
export function decideRefresh(
  { issue, labelIds, assigneeIds }: LockedIssue,
  wrote: ImportedFields,
  theirs: RefreshedFields,
): IssueChange | undefined {
  const { closedAt, discussionLocked } = issue;
  const ours = fieldsOfImported({
    ...issue,
    ...{ labelIds, assigneeIds, locked: discussionLocked === true },
    closedAt: issue.state === 'closed' ? (closedAt ?? issue.updatedAt) : undefined,
  });
  const taken = fieldsToTake(wrote, ours, fieldsOfImported(theirs));
  if (taken.size === 0) return undefined;
  const patch: IssuePatch = {
    ...(taken.has('title') ? { title: theirs.title } : {}),
    ...(taken.has('description')
      ? {
          description: theirs.description ?? null,
          taskCount: theirs.taskCount,
          completedTaskCount: theirs.completedTaskCount,
        }
      : {}),
    ...(taken.has('state')
      ? {
          state: theirs.closedAt === undefined ? 'opened' : 'closed',
          closedAt: theirs.closedAt ?? null,
          closedById: null,
        }
      : {}),
    ...(taken.has('milestone') ? { milestoneId: theirs.milestoneId ?? null } : {}),
    ...(taken.has('locked') ? { discussionLocked: theirs.locked || null } : {}),
    updatedAt: new Date(Math.max(issue.updatedAt.getTime(), theirs.updatedAt.getTime())),
  };
  return {
    patch,
    ...(taken.has('labels') ? { labelIds: ascending(theirs.labelIds) } : {}),
    ...(taken.has('assignees') ? { assigneeIds: [...theirs.assigneeIds], participants: [...theirs.assigneeIds] } : {}),
  };
}
