import { type Buckets, countOf, percentile } from './duration-buckets';

/** A train with cars, not paused, that has seen a green pipeline since its last landing, or whose first car has one. */
export interface WaitingTrain {
  readonly id: number;
  readonly projectId: number;
  readonly targetBranch: string;
  /** Since when it could have landed something: a green result, the last landing, the end of a pause, whatever came last. */
  readonly waitingSince: Date;
  readonly landedAt: Date | undefined;
  /** Times from being added to landing of the last 28 days, seconds. */
  readonly turnaround: Buckets;
  /** Minutes that the project gives a pipeline. */
  readonly timeoutMinutes: number;
}

/** How many times the 95th percentile of its turnaround a train may land nothing after a green result. */
const patience = 4;
/** Seconds below which no train is stuck: a slow git or a busy installation is not the train's. */
export const leastPatience = 300;
/** Landings below which a percentile says nothing. */
const fewestLandings = 5;

/** Seconds after a green result from which on a train that lands nothing is stuck. */
export function patienceWith({
  turnaround,
  timeoutMinutes,
}: Pick<WaitingTrain, 'turnaround' | 'timeoutMinutes'>): number {
  const usual = countOf(turnaround) < fewestLandings ? undefined : percentile(turnaround, 0.95);
  return Math.max(leastPatience, usual === undefined ? timeoutMinutes * 60 : patience * usual);
}

/** Whether a train has landed nothing for so long after a green result that something must be wrong with it (D8). */
export const isStuck = (train: WaitingTrain, now: Date): boolean =>
  now.getTime() - train.waitingSince.getTime() >= patienceWith(train) * 1_000;
