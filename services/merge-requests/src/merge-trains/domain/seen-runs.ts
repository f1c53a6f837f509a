import { normal } from './random';

/** A pipeline of a train that has ended with a verdict. */
export interface SeenRun {
  /** Milliseconds from its opening to its verdict. */
  readonly lasted: number;
  readonly verdict: 'green' | 'failed' | 'late';
  /** It tested a commit that had failed. */
  readonly rerun: boolean;
}

/** Draws how long a pipeline lasts, in milliseconds. `age`: it has lasted that long already. */
export type DrawDuration = (failed: boolean, age: number) => number;

/** Fewer runs of one outcome say less about its duration than all runs together. */
const fewestOfOutcome = 20;
/** Mean of what is left of a run that has lasted longer than all before it, as a share of the median. */
const beyondAll = 1 / 3;

interface Seen {
  readonly sorted: readonly number[];
  /** By what factor a drawn duration may differ from one that was seen: the logarithm's standard deviation. */
  readonly blur: number;
}

/** The bandwidth of Silverman's rule, for the logarithms. */
function seen(durations: readonly number[]): Seen {
  const sorted = durations.map((duration) => Math.max(duration, 1)).sort((a, b) => a - b);
  const logs = sorted.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / Math.max(1, logs.length - 1);
  return { sorted, blur: 0.9 * Math.sqrt(variance) * logs.length ** -0.2 };
}

/** The first place of a sorted list whose value is above `value`. */
function firstAbove(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Draws from what was seen, blurred, so that a handful of runs does not stand for the only possible ones. */
export function durationsOf(runs: readonly SeenRun[], random: () => number): DrawDuration {
  const all = seen(runs.map(({ lasted }) => lasted));
  const ofOutcome = (failed: boolean): Seen => {
    const lasted = runs.filter(({ verdict }) => (verdict !== 'green') === failed).map((run) => run.lasted);
    return lasted.length < fewestOfOutcome ? all : seen(lasted);
  };
  const passing = ofOutcome(false);
  const failing = ofOutcome(true);
  return (failed, age) => {
    const { sorted, blur } = failed ? failing : passing;
    const from = age === 0 ? 0 : firstAbove(sorted, age);
    if (from === sorted.length) {
      const median = sorted[sorted.length >> 1] as number;
      return age - Math.log(1 - random()) * median * beyondAll;
    }
    const drawn = sorted[from + Math.floor(random() * (sorted.length - from))] as number;
    const blurred = drawn * Math.exp(blur * normal(random));
    return blurred > age ? blurred : drawn;
  };
}
