import { displayTextProblems } from '@switchyard/texts';
import { lengthProblems, maxDescription, note, type Problems } from '../../rules';

/** The fields of a milestone that users write; dates are `YYYY-MM-DD`, undefined for none. */
export interface MilestoneContent {
  title: string;
  description: string;
  dueDate: string | undefined;
  startDate: string | undefined;
}

/**
 * A milestone of an import, with the number and dates that it has at the forge. One of its title that the project can use
 * already, of its own or of a group, takes its place.
 */
export interface ImportedMilestone extends MilestoneContent {
  readonly iid: number;
  readonly state: 'active' | 'closed';
  /** Undefined where its forge does not say it. */
  readonly createdAt: Date | undefined;
  readonly updatedAt: Date;
  /** It was one of a group: its number means nothing in the project. */
  readonly group?: boolean;
}

const inRange = (date: string | undefined): boolean => date === undefined || date <= '9999-12-31';

/** What is wrong with a milestone. */
export function milestoneProblems(milestone: MilestoneContent): Problems {
  const problems: Problems = {};
  note(problems, 'title', displayTextProblems(milestone.title));
  note(problems, 'description', lengthProblems(milestone.description, maxDescription));
  if (!inRange(milestone.startDate) || !inRange(milestone.dueDate)) {
    note(problems, 'due_date', ['date must not be after 9999-12-31']);
  }
  if (milestone.startDate !== undefined && milestone.dueDate !== undefined && milestone.dueDate < milestone.startDate) {
    note(problems, 'due_date', ['must be greater than start date']);
  }
  return problems;
}
