import { invalid } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Parent } from '../../parents';
import { note, refuse } from '../../rules';
import { type MilestoneContent, milestoneProblems } from './milestone';
import type { MilestoneRow } from './milestone-row';

/** A change of a milestone; what is absent stays, an empty date is removed. */
export interface MilestoneChange {
  title?: string;
  description?: string;
  dueDate?: string;
  startDate?: string;
  stateEvent?: 'close' | 'activate';
}

/** What can happen to a milestone; each is one event. */
export type MilestoneFact = 'created' | 'renamed' | 'closed' | 'activated' | 'deleted';

/** What a decision about a milestone may depend on besides the milestone. */
export interface MilestoneFacts {
  /** Whether another milestone that the parent can use has the new title. */
  readonly titleTaken: boolean;
}

/** Which milestone changes, and what is read for the decision. */
export interface MilestoneChangeRequest {
  readonly parent: Parent;
  readonly id: number;
  readonly actorId: number;
  /** The new title, for `MilestoneFacts.titleTaken`; undefined when the title stays. */
  readonly title?: string | undefined;
  /** Refuses the change when the milestone changed after this timestamp. */
  readonly unmodifiedSince?: Date | undefined;
}

/** The result of a change of a milestone, with its events in order. */
export type MilestoneDecision =
  | {
      readonly kind: 'changed';
      readonly content: MilestoneContent & { readonly state: MilestoneRow['state'] };
      readonly facts: readonly MilestoneFact[];
    }
  | { readonly kind: 'deleted' };

const titleTakenProblems = ['already being used for another group or project milestone.'];

/** The refusal of a title that another milestone has. */
export const milestoneTitleTaken = () => invalid({ title: titleTakenProblems });

function refuseProblems(content: MilestoneContent, titleTaken: boolean): void {
  const problems = milestoneProblems(content);
  if (titleTaken) note(problems, 'title', titleTakenProblems);
  refuse(problems);
}

/**
 * Creates a milestone; returns its content as it is stored.
 * @throws AppError invalid with all problems
 */
export function decideCreate(content: MilestoneContent, { titleTaken }: MilestoneFacts): MilestoneContent {
  refuseProblems(content, titleTaken);
  return { ...content, title: displayText(content.title) };
}

const dateAfter = (change: string | undefined, date: string | null): string | undefined =>
  change === undefined ? (date ?? undefined) : change || undefined;

const states = { close: 'closed', activate: 'active' } as const;

/**
 * Changes a milestone.
 * @throws AppError invalid with all problems
 */
export function decideUpdate(
  milestone: MilestoneRow,
  change: MilestoneChange,
  { titleTaken }: MilestoneFacts,
): MilestoneDecision {
  const content: MilestoneContent = {
    title: change.title === undefined ? milestone.title : displayText(change.title),
    description: change.description ?? milestone.description,
    dueDate: dateAfter(change.dueDate, milestone.due_date),
    startDate: dateAfter(change.startDate, milestone.start_date),
  };
  refuseProblems(content, titleTaken);
  const state = change.stateEvent === undefined ? milestone.state : states[change.stateEvent];
  const facts: MilestoneFact[] = [];
  if (content.title !== milestone.title) facts.push('renamed');
  if (state !== milestone.state) facts.push(state === 'closed' ? 'closed' : 'activated');
  return { kind: 'changed', content: { ...content, state }, facts };
}
