import type { NamedCount, TrainStatistics, Turnaround } from '../domain/train-statistics';

/** Three digits: a duration counted in a bucket is not known better. */
const rounded = (value: number): number => Number(value.toPrecision(3));

const seconds = (value: number | undefined): number | null => (value === undefined ? null : rounded(value));

const presentTurnaround = ({ p50, p95 }: Turnaround) => ({ p50: seconds(p50), p95: seconds(p95) });

const presentCount = ({ name, count }: NamedCount) => ({ name, count });

/** What a train did in a range (D8). */
export const presentTrainStatistics = (targetBranch: string, statistics: TrainStatistics) => ({
  target_branch: targetBranch,
  after: statistics.after,
  before: statistics.before,
  landings: statistics.landings,
  turnaround: presentTurnaround(statistics.turnaround),
  removals: statistics.removals.map(({ name, count }) => ({ reason: name, count })),
  builds: statistics.builds,
  builds_per_landing: statistics.buildsPerLanding === undefined ? null : rounded(statistics.buildsPerLanding),
  paused_share: rounded(statistics.pausedShare),
  flakes: statistics.flakes.map(presentCount),
  failures: statistics.failures.map(presentCount),
  days: statistics.days.map(({ date, landings, builds, removals, turnaround }) => ({
    date,
    landings,
    builds,
    turnaround_p50: seconds(turnaround.p50),
    turnaround_p95: seconds(turnaround.p95),
    removals,
  })),
});
