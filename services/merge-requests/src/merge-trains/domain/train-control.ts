import type { ProjectRow, UserRow } from '@switchyard/directory';
import { displayText, isUnshowable } from '@switchyard/texts';
import type { MergeTrainEntry } from './merge-train-entry';

/** States of a train: it tests and lands; it keeps every place and does neither; it lands its cars and takes no new one. */
export const trainStates = ['running', 'paused', 'draining'] as const;
export type TrainState = (typeof trainStates)[number];

/** What a train is to do. */
export interface TrainControl {
  readonly state: TrainState;
  /** Why, one line of at most 255 characters; undefined when none was given. */
  readonly reason: string | undefined;
  /** When the train runs again by itself; undefined: when a maintainer says so. */
  readonly until: Date | undefined;
}

/** What a caller wants a train to do, unchecked. */
export interface WantedTrainControl {
  readonly state: string;
  readonly reason: string | undefined;
  /** RFC 3339. */
  readonly until: string | undefined;
}

/** One decision about a train. */
export interface TrainControlChange extends TrainControl {
  /** Who made it: the ghost for a deleted user, undefined for the train itself. */
  readonly user: UserRow | undefined;
  readonly createdAt: Date;
}

/** The control of a train with everything that its public representation embeds. */
export interface TrainControlView {
  readonly project: ProjectRow;
  readonly targetBranch: string;
  readonly control: TrainControl;
  /** Undefined for a branch that has no train yet. */
  readonly updatedAt: Date | undefined;
  /** Who made the last change: the ghost for a deleted user, undefined for the train itself and before any. */
  readonly updatedBy: UserRow | undefined;
  /** The pipeline on the tip of the target branch that shows whether the branch itself fails. */
  readonly probe: MergeTrainEntry['pipeline'];
  /** The newest changes, newest first. */
  readonly changes: readonly TrainControlChange[];
}

/** Why a train is paused that has stopped itself (D8). */
export const targetFailing = 'target_failing';

/** Most characters of a reason. */
const maxReason = 255;
/** Days that a pause or a drain may last unless it is renewed. */
const maxDays = 30;
const dayMs = 86_400_000;

const isState = (state: string): state is TrainState => (trainStates as readonly string[]).includes(state);

/** A reason as it is stored; undefined for one that is blank. */
const reasonOf = (reason: string | undefined): string | undefined => displayText(reason ?? '') || undefined;

function reasonProblems(reason: string | undefined): string[] {
  if (reason === undefined) return [];
  const problems = isUnshowable(reason) ? ['is invalid'] : [];
  if ([...reason].length > maxReason) problems.push(`is too long (maximum is ${maxReason} characters)`);
  return problems;
}

function untilProblems({ state, until }: WantedTrainControl, now: Date): string[] {
  if (until === undefined) return [];
  const problems = state === 'running' ? ['goes with the states paused and draining only'] : [];
  const aheadMs = Date.parse(until) - now.getTime();
  if (Number.isNaN(aheadMs)) problems.push('is invalid');
  else if (aheadMs <= 0 || aheadMs > maxDays * dayMs) problems.push(`must be within the next ${maxDays} days`);
  return problems;
}

/**
 * A control as it is stored, or what is wrong with it, by attribute.
 * @param now the current time, from which `until` counts
 */
export function checkedControl(
  wanted: WantedTrainControl,
  now: Date,
): { readonly control: TrainControl } | { readonly problems: Record<string, string[]> } {
  const reason = reasonOf(wanted.reason);
  const found: Record<string, string[]> = {
    state: isState(wanted.state) ? [] : ['does not have a valid value'],
    reason: reasonProblems(reason),
    until: untilProblems(wanted, now),
  };
  const problems = Object.fromEntries(Object.entries(found).filter(([, texts]) => texts.length > 0));
  if (Object.keys(problems).length > 0 || !isState(wanted.state)) return { problems };
  const until = wanted.until === undefined ? undefined : new Date(wanted.until);
  return { control: { state: wanted.state, reason, until } };
}
