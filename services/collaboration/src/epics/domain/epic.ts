import { invalid } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { parseColor } from '@switchyard/texts';
import { issueFieldProblems } from '../../issues';

/** States of an epic. */
export type EpicState = 'opened' | 'closed';

/** The dates of an epic, `YYYY-MM-DD`. A date that is not fixed is inherited. */
export interface EpicDates {
  readonly startDateIsFixed: boolean;
  readonly startDateFixed: string | undefined;
  readonly dueDateIsFixed: boolean;
  readonly dueDateFixed: string | undefined;
}

/** An epic as it is stored. Ids of people and labels are of the directory. */
export interface Epic extends EpicDates {
  readonly id: number;
  /** Number within its group. */
  readonly iid: number;
  readonly groupId: number;
  readonly authorId: number;
  readonly title: string;
  readonly description: string | undefined;
  readonly state: EpicState;
  /** Seen by members of its group from Planner on. */
  readonly confidential: boolean;
  /** `#rrggbb`. */
  readonly color: string;
  /** In a view, those that its viewer may read. */
  readonly userNotesCount: number;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly parentId: number | undefined;
  /** `YYYY-MM-DD`: what its issues' milestones and its child epics give it. */
  readonly inheritedStartDate: string | undefined;
  readonly inheritedDueDate: string | undefined;
  readonly closedById: number | undefined;
  readonly closedAt: Date | undefined;
  readonly importedFrom: string;
  /** Counts changes; the cause of their events. */
  readonly lockVersion: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The start and the end that hold for an epic. */
export const datesInForce = (epic: Epic) => ({
  start: epic.startDateIsFixed ? epic.startDateFixed : epic.inheritedStartDate,
  due: epic.dueDateIsFixed ? epic.dueDateFixed : epic.inheritedDueDate,
});

/** Colour of an epic that was given none. */
export const defaultColor = '#1068bf';

/**
 * Checks title, description, colour and the given timestamps.
 * @throws AppError invalid with every problem at once
 */
export function checkEpicFields(fields: {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly color?: string | undefined;
  readonly createdAt?: Date | undefined;
  readonly updatedAt?: Date | undefined;
}): void {
  const problems = issueFieldProblems(fields);
  if (fields.color !== undefined && parseColor(fields.color) === undefined) {
    problems.color = ['must be a valid color code'];
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/**
 * Checks dates that are both fixed. What is inherited may change at any time, so it is not compared.
 * @throws AppError invalid when the end lies before the start
 */
export function checkEpicDates({ startDateIsFixed, startDateFixed, dueDateIsFixed, dueDateFixed }: EpicDates): void {
  if (!startDateIsFixed || !dueDateIsFixed || startDateFixed === undefined || dueDateFixed === undefined) return;
  if (dueDateFixed < startDateFixed) throw invalid({ due_date: ['must be greater than start date'] });
}

/** Who acts on an epic, and their level in its group. */
interface Standing {
  readonly admin: boolean;
  readonly level: number;
}

/** Whether someone may make epics and change them (G-4.18-1). */
export const mayManageEpics = ({ admin, level }: Standing): boolean => admin || level >= levels.planner;

/** Whether someone may delete an epic: Owners and Planners (G-4.18-3). */
export const mayDeleteEpic = ({ admin, level }: Standing): boolean =>
  admin || level >= levels.owner || level === levels.planner;

/** Whether a user may set the times of an epic. */
export const mayDateEpic = ({ admin, level }: Standing): boolean => admin || level >= levels.owner;
