import type { Verdict } from '../../merge-requests';
import { bucketOf } from './duration-buckets';
import type { TrainEvent } from './merge-train';

/**
 * What is counted of a day: landings, pipelines that were opened, removals by reason, failed pipelines and passed
 * retries by status name, the times from being added to landing by bucket, milliseconds of pause.
 */
export type Measure = 'landings' | 'builds' | 'removals' | 'failures' | 'flakes' | 'turnaround' | 'paused';

/** What a counter of a day grows by. */
export interface Counted {
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly measure: Measure;
  /** Reason, status name or bucket; empty where there is one counter alone, and for what has no name. */
  readonly name: string;
  readonly value: number;
}

/** What happened to a train, as far as it is counted. */
export interface Counting {
  readonly events: readonly TrainEvent[];
  /** Pipelines that were opened. */
  readonly builds: number;
  /** When a car was added; undefined when that is not known. */
  readonly addedAt: (carId: number) => Date | undefined;
  /** Verdicts that were known before, by pipeline. */
  readonly verdicts: ReadonlyMap<number, Verdict>;
  /** When the pause that ends now began. */
  readonly pausedSince: Date | undefined;
}

const dayMs = 86_400_000;
/** Longest status name that is counted as it is, characters. */
const longestName = 255;
/** Status names of one event that are counted and kept. */
export const mostNames = 100;

/** The day of a time, `YYYY-MM-DD` in UTC. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** A status name as it is counted and kept. */
export const boundedName = (name: string): string => [...name.slice(0, 2 * longestName)].slice(0, longestName).join('');

const boundedNames = (names: readonly string[]): string[] => [...new Set(names.slice(0, mostNames).map(boundedName))];

/** The part of a time that lies in each of its days, milliseconds. */
function partsByDay(from: Date, to: Date): { day: string; milliseconds: number }[] {
  const parts: { day: string; milliseconds: number }[] = [];
  for (let start = from.getTime(); start < to.getTime(); ) {
    const end = Math.min((Math.floor(start / dayMs) + 1) * dayMs, to.getTime());
    parts.push({ day: dayOf(new Date(start)), milliseconds: end - start });
    start = end;
  }
  return parts;
}

/** Names by which failures are counted: once for each time that the verdict of a pipeline becomes `failed`. */
function failuresIn(events: readonly TrainEvent[], verdicts: Counting['verdicts']): string[] {
  const known = new Map(verdicts);
  return events.flatMap((event) => {
    if (event.kind !== 'judged') return [];
    const before = known.get(event.pipelineId);
    known.set(event.pipelineId, event.verdict);
    if (event.verdict !== 'failed' || before === 'failed') return [];
    // A pipeline may fail without a name: it was refused, or its own status was set.
    return event.failedNames.length === 0 ? [''] : boundedNames(event.failedNames);
  });
}

/** What grows the counters of a train, each counter once. */
export function measuresOf({ events, builds, addedAt, verdicts, pausedSince }: Counting, now: Date): Counted[] {
  const today = dayOf(now);
  const sums = new Map<string, Counted>();
  const add = (measure: Measure, name = '', value = 1, day = today): void => {
    const key = JSON.stringify([day, measure, name]);
    sums.set(key, { day, measure, name, value: value + (sums.get(key)?.value ?? 0) });
  };
  if (builds > 0) add('builds', '', builds);
  for (const event of events) {
    if (event.kind === 'removed') add('removals', event.reason);
    if (event.kind === 'flaked') for (const name of boundedNames(event.names)) add('flakes', name);
    if (event.kind !== 'merged') continue;
    add('landings');
    const added = addedAt(event.carId);
    if (added !== undefined) add('turnaround', String(bucketOf((now.getTime() - added.getTime()) / 1_000)));
  }
  for (const name of failuresIn(events, verdicts)) add('failures', name);
  if (pausedSince !== undefined) {
    for (const { day, milliseconds } of partsByDay(pausedSince, now)) add('paused', '', milliseconds, day);
  }
  return [...sums.values()];
}
