import { type Buckets, bucketsOf, percentile } from './duration-buckets';
import { dayOf, type Measure } from './train-measures';

/** Days of a statistic, both included, `YYYY-MM-DD` in UTC. */
export interface StatisticsRange {
  readonly after: string;
  readonly before: string;
}

/** Days as a caller names them, unchecked. */
export type WantedRange = { readonly [K in keyof StatisticsRange]: string | undefined };

/** The counters of one measure by name: of a day, or of the whole range where `day` is undefined. */
export interface Counters {
  readonly day: string | undefined;
  readonly measure: Measure;
  readonly values: Readonly<Record<string, number>>;
}

/** What is known of a train in a range. */
export interface MeasuredTrain {
  readonly createdAt: Date;
  /** When the pause began that is under way. */
  readonly pausedSince: Date | undefined;
  /** Failures and flakes of the range as a whole, everything else by day. */
  readonly counters: readonly Counters[];
}

/** How often something of that name happened; the name is empty for what has none, or is counted together. */
export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** Times from being added to landing, seconds; undefined without landings. */
export interface Turnaround {
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

/** One day of a train. */
export interface TrainDay {
  readonly date: string;
  readonly landings: number;
  readonly builds: number;
  readonly removals: number;
  readonly turnaround: Turnaround;
}

/** What a train did in a range. */
export interface TrainStatistics extends StatisticsRange {
  readonly landings: number;
  readonly turnaround: Turnaround;
  /** By reason, the most frequent first. */
  readonly removals: readonly NamedCount[];
  /** Pipelines that it opened, retries and probes of the target branch included. */
  readonly builds: number;
  readonly buildsPerLanding: number | undefined;
  /** Share of the time since the train exists that it was paused, 0 to 1. */
  readonly pausedShare: number;
  /** By status name, the most frequent first. */
  readonly flakes: readonly NamedCount[];
  readonly failures: readonly NamedCount[];
  /** Every day of the range, oldest first. */
  readonly days: readonly TrainDay[];
}

const dayMs = 86_400_000;
/** Days of a statistic unless the caller names others. */
const usualDays = 28;
/** Most days of a statistic: a year. */
const mostDays = 366;

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const addDays = (day: string, days: number): string => dayOf(new Date(startOf(day) + days * dayMs));

/** Whether a text names a day that there is; PostgreSQL knows no year 0. */
function isDay(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const start = startOf(text);
  // `Date` takes 30 February for 1 March.
  return !Number.isNaN(start) && dayOf(new Date(start)) === text;
}

/** The days that a caller asks for, by default the 28 up to `now`; or all that is wrong with them, by parameter. */
export function statisticsRange(
  { after, before }: WantedRange,
  now: Date,
): { readonly range: StatisticsRange } | { readonly problems: Record<string, string[]> } {
  const problems: Record<string, string[]> = {};
  if (after !== undefined && !isDay(after)) problems.after = ['is invalid'];
  if (before !== undefined && !isDay(before)) problems.before = ['is invalid'];
  if (Object.keys(problems).length > 0) return { problems };
  const last = before ?? dayOf(now);
  const first = after ?? addDays(last, 1 - usualDays);
  if (!isDay(first)) return { problems: { before: ['is invalid'] } };
  if (first > last) return { problems: { after: ['must not be later than before'] } };
  if (startOf(last) - startOf(first) >= mostDays * dayMs) {
    return { problems: { after: [`must be at most ${mostDays - 1} days earlier than before`] } };
  }
  return { range: { after: first, before: last } };
}

/** The first day whose turnaround says when a train that lands nothing is stuck. */
export const usualRangeStart = (now: Date): string => addDays(dayOf(now), 1 - usualDays);

const daysOf = ({ after, before }: StatisticsRange): string[] =>
  Array.from({ length: Math.round((startOf(before) - startOf(after)) / dayMs) + 1 }, (_, at) => addDays(after, at));

const turnaroundOf = (buckets: Buckets): Turnaround => ({
  p50: percentile(buckets, 0.5),
  p95: percentile(buckets, 0.95),
});

const total = (values: Counters['values']): number => Object.values(values).reduce((sum, value) => sum + value, 0);

const sorted = (values: Counters['values']): NamedCount[] =>
  Object.entries(values)
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));

/** Share of the time of a range that a train was paused, as far as it existed and has passed. */
function pausedShare({ createdAt, pausedSince }: MeasuredTrain, paused: number, range: StatisticsRange, now: Date) {
  const start = Math.max(startOf(range.after), createdAt.getTime());
  const end = Math.min(startOf(range.before) + dayMs, now.getTime());
  if (end <= start) return 0;
  const underWay = pausedSince === undefined ? 0 : Math.max(0, end - pausedSince.getTime());
  // What began before the range fills it.
  return Math.min(1, (paused + underWay) / (end - start));
}

/** What a train did in a range, from its counters. */
export function trainStatistics(train: MeasuredTrain, range: StatisticsRange, now: Date): TrainStatistics {
  const sums = new Map<Measure, Record<string, number>>();
  const byDay = new Map<string, Counters['values']>();
  for (const { day, measure, values } of train.counters) {
    if (day !== undefined) byDay.set(`${day} ${measure}`, values);
    const sum = sums.get(measure) ?? Object.create(null);
    for (const [name, value] of Object.entries(values)) sum[name] = (sum[name] ?? 0) + value;
    sums.set(measure, sum);
  }
  const inAll = (measure: Measure): Counters['values'] => sums.get(measure) ?? {};
  const onDay = (day: string, measure: Measure): Counters['values'] => byDay.get(`${day} ${measure}`) ?? {};
  const landings = total(inAll('landings'));
  const builds = total(inAll('builds'));
  return {
    ...range,
    landings,
    turnaround: turnaroundOf(bucketsOf(inAll('turnaround'))),
    removals: sorted(inAll('removals')),
    builds,
    buildsPerLanding: landings === 0 ? undefined : builds / landings,
    pausedShare: pausedShare(train, total(inAll('paused')), range, now),
    flakes: sorted(inAll('flakes')),
    failures: sorted(inAll('failures')),
    days: daysOf(range).map((date) => ({
      date,
      landings: total(onDay(date, 'landings')),
      builds: total(onDay(date, 'builds')),
      removals: total(onDay(date, 'removals')),
      turnaround: turnaroundOf(bucketsOf(onDay(date, 'turnaround'))),
    })),
  };
}
