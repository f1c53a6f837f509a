import { formatTimestamp, literal } from '@switchyard/texts';
import { statusNames } from './merge-train-evidence';

/** Characters of a branch name: git takes no longer file names. */
const maxBranchLength = 255;

/** Characters of a reason (see the proto). */
const maxReasonLength = 255;

/** A merge train by the name of its target branch, as Markdown. */
export const trainOf = (targetBranch: string): string =>
  `the merge train for ${literal(targetBranch, maxBranchLength) ?? 'a branch'}`;

/** A car that was added, or moved by a maintainer. */
export interface TrainAddition {
  readonly targetBranch: string;
  /** In the queue, from 1. */
  readonly position: number;
  /** A maintainer put it at the front. */
  readonly first: boolean;
  /** It was on the train already. */
  readonly moved: boolean;
}

/** The text of the system note on the addition (G-4.1-6, point 7). */
export function additionNote({ targetBranch, position, first, moved }: TrainAddition): string {
  const train = trainOf(targetBranch);
  if (first) {
    // What is being merged stays ahead of it.
    const where = position === 1 ? '' : `, at position ${position}`;
    return `${moved ? 'moved' : 'put'} this merge request ${moved ? 'to' : 'at'} the front of ${train}${where}`;
  }
  return position === 1 ? `started ${train}` : `added this merge request to ${train} at position ${position}`;
}

/** A car behind one that a maintainer put first. */
export interface TrainOvertaking {
  readonly targetBranch: string;
  /** In the queue now, from 1. */
  readonly position: number;
  /** Number of the merge request that was put first, in the same project. */
  readonly byIid: number;
}

/** Users whom the overtaking of a car concerns: who added it and its author, but not the actor. */
export const overtakenUserIds = (actorId: number, authorId: number, addedById: number): number[] =>
  [...new Set([authorId, addedById])].filter((id) => id > 0 && id !== actorId);

const costOf = (position: number): string => `It is now at position ${position}, and its tests start again.`;

/** The text of the system note on a car that was overtaken. */
export const overtakenNote = ({ targetBranch, position, byIid }: TrainOvertaking): string =>
  `put !${byIid} ahead of this merge request on ${trainOf(targetBranch)}. ${costOf(position)}`;

/** The text of the to-do on a car that was overtaken. */
export const overtakenSentence = ({ targetBranch, position, byIid }: TrainOvertaking): string =>
  `!${byIid} was put ahead of this merge request on ${trainOf(targetBranch)}. ${costOf(position)}`;

/** What a merge train does: it tests and lands; keeps every place and lands nothing; takes no new car. */
export type TrainState = 'running' | 'paused' | 'draining';

/** A change of what a merge train does. */
export interface TrainStateChange {
  readonly targetBranch: string;
  readonly state: TrainState;
  /** In the words of the actor; empty: none. */
  readonly reason: string;
  /** When it runs again by itself. */
  readonly until: Date | undefined;
  /** It stopped itself because the target branch seems to fail. */
  readonly targetFailing: boolean;
  /** The status names that failed then. */
  readonly statusNames: readonly string[];
}

/** Whether the train stopped itself. */
export const isOwnStop = ({ state, targetFailing }: TrainStateChange): boolean => targetFailing && state === 'paused';

const actions: Readonly<Record<TrainState, (train: string) => string>> = {
  running: (train) => `started ${train} again`,
  paused: (train) => `paused ${train}`,
  draining: (train) => `set ${train} to draining`,
};

const ownActions: Readonly<Record<TrainState, (train: string) => string>> = {
  running: (train) => `${train} runs again`,
  paused: (train) => `${train} is paused`,
  draining: (train) => `${train} drains`,
};

function stopped({ targetBranch, statusNames: names }: TrainStateChange): string {
  const failing = names.length === 0 ? '' : ` ${statusNames(names)}`;
  return `${trainOf(targetBranch)} stopped itself, because its target branch seems to fail${failing}`;
}

/** What becomes of a train that stopped itself. */
const outlook =
  'All merge requests keep their places. It runs again when a pipeline on the tip of the target branch passes.';

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/**
 * The text of the system note on a change of what the train does.
 * @param byTrain no user did it
 */
export function trainStateNote(change: TrainStateChange, byTrain: boolean): string {
  if (isOwnStop(change)) return `${stopped(change)}. ${outlook}`;
  const action = (byTrain ? ownActions : actions)[change.state](trainOf(change.targetBranch));
  const until = change.until === undefined ? '' : ` until ${formatTimestamp(change.until)}`;
  const reason = literal(change.reason, maxReasonLength);
  const meaning = change.state === 'draining' ? ': it lands what is on it and takes no more merge requests' : '';
  return `${action}${until}${reason === undefined ? '' : ` (${reason})`}${meaning}`;
}

/** The text of the to-do on a train that stopped itself. */
export const trainStoppedSentence = (change: TrainStateChange): string => `${capitalized(stopped(change))}. ${outlook}`;
