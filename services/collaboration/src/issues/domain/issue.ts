import { invalid } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { displayTextProblems, type HealthStatus, timeProblems } from '@switchyard/texts';

/** States of an issue. */
export type IssueState = 'opened' | 'closed';

/** Types of an issue (G §10 Issues). Incidents and tasks live, move and close as issues do. */
export const issueTypes = ['issue', 'incident', 'task'] as const;

/** One of `issueTypes`. */
export type IssueType = (typeof issueTypes)[number];

/** How bad an incident is. */
export const issueSeverities = ['unknown', 'low', 'medium', 'high', 'critical'] as const;

/** One of `issueSeverities`. */
export type IssueSeverity = (typeof issueSeverities)[number];

/** An issue as it is stored. Ids of people, labels and milestones are of the directory; durations are seconds. */
export interface Issue {
  readonly id: number;
  /** Number within its project. */
  readonly iid: number;
  readonly projectId: number;
  readonly authorId: number;
  readonly title: string;
  readonly description: string | undefined;
  readonly state: IssueState;
  readonly issueType: IssueType;
  /** Seen by author, assignees and members from Planner on. */
  readonly confidential: boolean;
  readonly severity: IssueSeverity;
  readonly discussionLocked: boolean | undefined;
  readonly milestoneId: number | undefined;
  /** `YYYY-MM-DD`. */
  readonly dueDate: string | undefined;
  readonly weight: number | undefined;
  readonly healthStatus: HealthStatus | undefined;
  readonly timeEstimate: number;
  readonly totalTimeSpent: number;
  readonly taskCount: number;
  readonly completedTaskCount: number;
  /** In a view, those that its viewer may read. */
  readonly userNotesCount: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly closedById: number | undefined;
  readonly closedAt: Date | undefined;
  /** The issue that stands for it since it was moved. */
  readonly movedToId: number | undefined;
  readonly importedFrom: string;
  /** The alert whose incident it is. */
  readonly alertId: number | undefined;
  /** Counts changes; the cause of their events. */
  readonly lockVersion: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Longest description in characters (api.md 8). */
export const maxDescriptionLength = 1_048_576;
/** Most assignees (G-4.2-13). */
const maxAssignees = 200;

const tooLong = (limit: number): string => `is too long (maximum is ${limit} characters)`;

/** What is checked of an issue, or of what has the same texts and times. */
interface CheckedFields {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly assignees?: number | undefined;
  readonly createdAt?: Date | undefined;
  readonly updatedAt?: Date | undefined;
}

/** What is wrong with title, description, number of assignees and the given timestamps, by field. */
export function issueFieldProblems(fields: CheckedFields): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  if (fields.title !== undefined) {
    const found = displayTextProblems(fields.title);
    if (found.length > 0) problems.title = found;
  }
  const { description } = fields;
  // Characters are counted where the units of UTF-16 leave it open.
  if (description !== undefined && description.length > maxDescriptionLength) {
    if ([...description].length > maxDescriptionLength) problems.description = [tooLong(maxDescriptionLength)];
  }
  if ((fields.assignees ?? 0) > maxAssignees) {
    problems.assignees = [`total must be less than or equal to ${maxAssignees}`];
  }
  for (const [name, timestamp] of Object.entries({ created_at: fields.createdAt, updated_at: fields.updatedAt })) {
    const found = timeProblems(timestamp);
    if (found.length > 0) problems[name] = found;
  }
  return problems;
}

/**
 * Checks title, description, number of assignees and the given timestamps.
 * @throws AppError invalid with every problem at once
 */
export function checkIssueFields(fields: CheckedFields): void {
  const problems = issueFieldProblems(fields);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** The free tier keeps the first assignee (G-4.2-13). */
export const allowedAssignees = (tier: string, ids: readonly number[]): number[] => {
  const distinct = [...new Set(ids.filter((id) => id > 0))];
  return tier === 'free' ? distinct.slice(0, 1) : distinct;
};

/** Who acts on an issue, and their level in its project. */
interface Standing {
  readonly userId: number;
  readonly admin: boolean;
  readonly level: number;
}

const takesPart = (issue: Pick<Issue, 'authorId'>, assigneeIds: readonly number[], userId: number): boolean =>
  userId > 0 && (issue.authorId === userId || assigneeIds.includes(userId));

/** Whether someone who sees the project sees the issue. To others it does not exist. */
export const maySeeIssue = (
  issue: Pick<Issue, 'authorId' | 'confidential'>,
  assigneeIds: readonly number[],
  { userId, admin, level }: Standing,
): boolean => !issue.confidential || admin || level >= levels.planner || takesPart(issue, assigneeIds, userId);

/** Whether someone may edit the text of an issue, close it and reopen it: Planners, its author, its assignees. */
export const mayUpdateIssue = (
  issue: Pick<Issue, 'authorId'>,
  assigneeIds: readonly number[],
  { userId, admin, level }: Standing,
): boolean => admin || level >= levels.planner || takesPart(issue, assigneeIds, userId);

/** Whether someone sets what else belongs to an existing issue: people, labels, dates, time, confidentiality, type. */
export const mayAdminIssue = ({ admin, level }: Standing): boolean => admin || level >= levels.planner;

/** Whether someone may delete an issue: Owners, Planners, its author. */
export const mayDeleteIssue = (issue: Pick<Issue, 'authorId'>, { userId, admin, level }: Standing): boolean =>
  admin || level >= levels.owner || level === levels.planner || (userId > 0 && issue.authorId === userId);

/** Whether a user may set the creation time and the number of an issue. */
export const mayDateIssue = ({ admin, level }: Standing): boolean => admin || level >= levels.owner;
