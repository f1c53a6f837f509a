import type { HealthStatus, Mentions, SpentTime } from '@switchyard/texts';
import { requireUnmodified } from '../../noteables';
import type { Issue, IssueSeverity, IssueType } from './issue';
import type { CopyRules } from './issue-copy';

/** One field before and after an edit, as the event reports it. */
export interface IssueFieldChange {
  readonly field: string;
  readonly old: string;
  readonly new: string;
}

/** What happened to an issue; becomes an event in the transaction of the change (D6). */
export type IssueFact =
  | {
      readonly kind: 'created';
      readonly mentions: Mentions;
      readonly labelIds: readonly number[];
      /** The issue of another project that it stands for. */
      readonly movedFromId?: number | undefined;
      /** The alert whose incident it is. */
      readonly alertId?: number | undefined;
      /** The epic that it is part of. */
      readonly epicId?: number | undefined;
    }
  | {
      readonly kind: 'updated';
      readonly addedAssigneeIds: readonly number[];
      readonly removedAssigneeIds: readonly number[];
      readonly addedLabelIds: readonly number[];
      readonly removedLabelIds: readonly number[];
      readonly mentions: Mentions;
      /** Public names. */
      readonly changedFields: readonly string[];
      readonly changes: readonly IssueFieldChange[];
      /** Where it changed: the description before, cut where it is long. */
      readonly oldDescription?: string | undefined;
    }
  | { readonly kind: 'closed'; readonly byMergeRequestId?: number | undefined }
  | { readonly kind: 'reopened' }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'moved'; readonly to: { readonly id: number; readonly iid: number; readonly projectId: number } };

/** An issue and the people and labels on it, locked. */
export interface LockedIssue {
  readonly issue: Issue;
  readonly assigneeIds: readonly number[];
  readonly labelIds: readonly number[];
  /** The epic that it is part of. */
  readonly epicId: number | undefined;
}

/** Fields that a change may set; `null` clears. */
export type IssuePatch = {
  readonly [F in keyof Omit<
    Issue,
    'id' | 'iid' | 'projectId' | 'authorId' | 'lockVersion' | 'createdAt' | 'importedFrom' | 'alertId'
  >]?: NonNullable<Issue[F]> | null;
};

/** An edit of an issue, saved with its events in one transaction. */
export interface IssueChange {
  readonly patch?: IssuePatch;
  readonly assigneeIds?: readonly number[];
  readonly labelIds?: readonly number[];
  readonly participants?: readonly number[];
  /** Entries of time of the actor. */
  readonly timelogs?: readonly SpentTime[] | undefined;
  /** An entry of time to be deleted. */
  readonly removedTimelogId?: number | undefined;
  /** The epic that it becomes part of; null: of none. */
  readonly epicId?: number | null | undefined;
  readonly facts?: readonly IssueFact[];
}

/** An issue to be opened. */
export interface NewIssue {
  readonly projectId: number;
  /** Undefined: the next number. */
  readonly iid?: number | undefined;
  readonly authorId: number;
  /** A function makes the title from the number. */
  readonly title: string | ((iid: number) => string);
  readonly description: string | undefined;
  readonly issueType: IssueType;
  readonly confidential: boolean;
  readonly discussionLocked?: boolean | undefined;
  readonly severity?: IssueSeverity;
  readonly milestoneId: number | undefined;
  readonly dueDate: string | undefined;
  readonly weight: number | undefined;
  readonly healthStatus?: HealthStatus | undefined;
  readonly timeEstimate?: number;
  readonly totalTimeSpent?: number;
  /** Entries of time of the author. */
  readonly timelogs?: readonly SpentTime[];
  readonly taskCount: number;
  readonly completedTaskCount: number;
  readonly assigneeIds: readonly number[];
  readonly labelIds: readonly number[];
  readonly mentions: Mentions;
  /** The alert whose incident it is. */
  readonly alertId?: number | undefined;
  /** The epic that it is part of. */
  readonly epicId?: number | undefined;
  /** Undefined: now. */
  readonly createdAt?: Date | undefined;
}

/** An issue moves to another project: a new issue takes its place. */
export interface IssueMove {
  readonly replacement: NewIssue;
  /** How conversation and participants are copied to the replacement. */
  readonly copy: CopyRules;
  /** What changes on the old issue once the replacement is stored. */
  readonly changeOld: (replacement: Pick<Issue, 'id' | 'iid' | 'projectId'>) => IssueChange;
}

/** An issue is deleted with everything on it. */
export interface IssueDeletion {
  readonly deletes: true;
  readonly facts: readonly IssueFact[];
}

/** The result of a decision about a locked issue; undefined changes nothing. */
export type IssueDecision = IssueChange | IssueMove | IssueDeletion | undefined;

/**
 * Deletes an issue.
 * @throws AppError precondition_failed when it changed after `unmodifiedSince`
 */
export function decideDeletion({ issue }: LockedIssue, unmodifiedSince: Date | undefined): IssueDeletion {
  requireUnmodified(issue, unmodifiedSince);
  return { deletes: true, facts: [{ kind: 'deleted' }] };
}
