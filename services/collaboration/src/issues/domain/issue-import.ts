import type { ImportedEvent, ImportedTimelog } from '@switchyard/directory';
import type { NewIssue } from './issue-change';

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
  /** Number of its milestone in the project; undefined for none. */
  readonly milestoneIid: number | undefined;
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
  /** Title; undefined for none. */
  readonly milestone: string | undefined;
  readonly closedById: number | undefined;
  readonly timelogs: readonly ImportedTimelog[];
}

/** An event of an imported issue. */
export type ImportedIssueEvent = Omit<ImportedEvent, 'ownerId'> & { readonly iid: number };
