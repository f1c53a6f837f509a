import { type FailureRates, likelyCulprits } from './likely-culprits';
import type { Car, Train } from './merge-train';
import { groupsOf, testedBuild } from './merge-train-chain';
import { seededRandom } from './random';
import { type DrawDuration, durationsOf, type SeenRun } from './seen-runs';
import { type SimulatedRun, type SimulatedTrain, type SimulatedWorld, simulateTrain } from './simulated-train';

/** With fewer known runs there is no forecast. */
export const fewestRuns = 5;
/** Cars at the front that get a forecast: what is further back lands too late to be foretold. */
export const mostForecast = 200;

/** What a forecast is made from. */
export interface ForecastInput {
  readonly train: Train;
  /** Milliseconds since the pipelines that run were opened, by id; one that is missing was opened now. */
  readonly ages: ReadonlyMap<number, number>;
  /** The newest runs of the train. */
  readonly runs: readonly SeenRun[];
  /** Of the merge requests that left the train lately, how many failed by themselves, and how many landed. */
  readonly left: { readonly failed: number; readonly landed: number };
  readonly seed: number;
}

/** When a car is expected to land, milliseconds from now; undefined: it hardly ever lands in the simulations. */
export interface CarForecast {
  readonly carId: number;
  readonly median: number | undefined;
  /** In nine of ten cases it has landed by then, unless it is removed. */
  readonly latest: number | undefined;
}

/** When the cars of a train are expected to land. */
export interface Forecast {
  readonly knownRuns: number;
  /** Why there is none; undefined: there is one. */
  readonly reason: 'too_few_runs' | 'paused' | undefined;
  /** In queue order; at most `mostForecast`. */
  readonly cars: readonly CarForecast[];
}

/** What is assumed until runs say otherwise counts as much as this many of them. */
const assumedCount = 20;
const assumedCulprits = 0.05;
const assumedFlakes = 0.01;

/** The rates on a branch, drawn towards what is common as long as little is known. */
function ratesOf({ runs, left }: ForecastInput): FailureRates {
  const flaked = runs.filter(({ rerun, verdict }) => rerun && verdict === 'green').length;
  const rate = (count: number, of: number, assumed: number): number =>
    (count + assumed * assumedCount) / (of + assumedCount);
  return {
    culprits: rate(left.failed, left.failed + left.landed, assumedCulprits),
    flakes: rate(flaked, runs.length, assumedFlakes),
  };
}

/** Simulations of one forecast. */
const mostSimulations = 200;
const fewestSimulations = 5;
/** Effort after which no further simulation is begun: some 100 ms of CPU, which trains of more than ten cars reach. */
const enoughEffort = 350_000;
/** Effort after which a simulation ends: a car that is in the train then lands too late to be foretold. */
const mostEffort = 1_000_000;

/** Pipelines that are being opened have no id yet. */
const idOf = (tip: Car): number => tip.build?.pipelineId ?? Number.MAX_SAFE_INTEGER - tip.id;

const isRunning = (group: readonly Car[]): boolean => {
  const build = testedBuild(group);
  return build?.requested === true && build.verdict === 'pending' && group[0]?.status !== 'merging';
};

/** The train as simulations begin with it. */
function startOf(train: Train): Train {
  const cars = groupsOf(train.cars.slice(0, mostForecast)).flatMap((group) => {
    const tip = group[group.length - 1] as Car;
    return isRunning(group)
      ? group.map((car): Car => ({ ...car, build: car.build && { ...car.build, pipelineId: idOf(tip) } }))
      : group;
  });
  return { ...train, base: train.base ?? cars[0]?.build?.onto ?? 'unknown', cars };
}

/** For cars that could not be built: the car they met, and why. A car that met the target branch itself is not in it. */
function conflictsOf({ cars }: Train): ReadonlyMap<number, Required<Pick<Car, 'held'>> & { readonly met: number }> {
  const byCommit = new Map(cars.map((car) => [car.build?.sha, car.id]));
  return new Map(
    cars.flatMap(({ id, held }) => {
      const met = held && byCommit.get(held.onto);
      return held === undefined || met === undefined ? [] : [[id, { held, met }] as const];
    }),
  );
}

/** What simulations share. */
interface Season {
  readonly start: Train;
  readonly rates: FailureRates;
  readonly random: () => number;
  readonly lasts: DrawDuration;
  readonly conflicts: ReturnType<typeof conflictsOf>;
}

/** How a simulation ended. */
interface Simulated {
  /** When each car landed, milliseconds from now. Infinity: it stayed; missing: it was removed. */
  readonly landings: ReadonlyMap<number, number>;
  readonly effort: number;
}

function* simulation(
  { start, rates, random, lasts, conflicts }: Season,
  culprits: ReadonlySet<number>,
  ages: ReadonlyMap<number, number>,
): Generator<undefined, Simulated> {
  const landings = new Map(start.cars.map(({ id }) => [id, Number.POSITIVE_INFINITY]));
  let queued = landings.size;
  const leaves = (): void => {
    queued -= 1;
  };
  const runOf = (hasCulprit: boolean, carId: number | undefined, age: number): SimulatedRun => {
    const fails = hasCulprit || random() < rates.flakes;
    // Each tip fails by a name of its own: whether the target branch fails is not foretold.
    return { lasts: Math.max(0, lasts(fails, age) - age), failedNames: fails ? [`simulated ${carId}`] : [] };
  };
  const world: SimulatedWorld = {
    isCulprit: (carId) => culprits.has(carId),
    runOf: ({ hasCulprit, carId }) => runOf(hasCulprit, carId, 0),
    holdOf(carId, holds) {
      const conflict = conflicts.get(carId);
      return conflict !== undefined && holds(conflict.met) ? conflict.held?.reason : undefined;
    },
    notice(event, at) {
      if (event.kind === 'merged') landings.set(event.carId, at);
      if (event.kind === 'removed') landings.delete(event.carId);
      if (event.kind === 'merged' || event.kind === 'removed') leaves();
    },
  };
  const simulated: SimulatedTrain = simulateTrain(start, world);
  for (const group of groupsOf(start.cars).filter(isRunning)) {
    const tip = group[group.length - 1] as Car;
    const pipelineId = idOf(tip);
    const { hasCulprit } = simulated.testOf(tip.build?.sha ?? '', tip.id);
    simulated.running(pipelineId, tip.id, runOf(hasCulprit, tip.id, ages.get(pipelineId) ?? 0));
  }
  simulated.give({ kind: 'resumed' });
  while (queued > 0 && simulated.effort() < mostEffort && simulated.clock.nextAt() !== undefined) {
    simulated.clock.advance();
    yield;
  }
  return { landings, effort: simulated.effort() };
}

/** Samples from which a tenth of them is a figure of its own. */
const manySamples = 60;
/** The 90th percentile of the normal distribution. */
const normal90 = 1.2816;

/** The value that `share` of the sorted values are not above; undefined: it never comes. */
function quantile(sorted: readonly number[], share: number): number | undefined {
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  return value === undefined || value === Number.POSITIVE_INFINITY ? undefined : value;
}

/**
 * What nine of ten values of the same kind will not be above: the 90th percentile; for a few, of the distribution of the
 * next value after them, as Student has it.
 */
function latestOf(sorted: readonly number[]): number | undefined {
  const count = sorted.length;
  if (count >= manySamples || sorted.at(-1) === Number.POSITIVE_INFINITY) return quantile(sorted, 0.9);
  if (count < 2) return sorted[0];
  const mean = sorted.reduce((sum, value) => sum + value, 0) / count;
  const variance = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const student90 = normal90 + (normal90 ** 3 + normal90) / (4 * (count - 1));
  return mean + student90 * Math.sqrt(variance * (1 + 1 / count));
}

/** A car that lands in fewer simulations than this share is not foretold to land. */
const leastLandings = 0.1;

/**
 * When the cars of a train will land, by simulating it forward with the real machine, from what runs and which of them
 * have failed (rule D8). No car is added later. The caller resumes it whenever there is time, some milliseconds each; the
 * same input gives the same forecast.
 */
export function* forecastTrain(input: ForecastInput): Generator<undefined, Forecast> {
  const { train, runs, ages, seed } = input;
  const known = { knownRuns: runs.length, cars: [] };
  if (runs.length < fewestRuns) return { ...known, reason: 'too_few_runs' };
  if (train.state === 'paused') return { ...known, reason: 'paused' };
  const start = startOf(train);
  const random = seededRandom(seed);
  const rates = ratesOf(input);
  const season: Season = { start, rates, random, lasts: durationsOf(runs, random), conflicts: conflictsOf(start) };
  const drawCulprits = likelyCulprits(start, rates, random);
  const landings = new Map(start.cars.map(({ id }) => [id, [] as number[]]));
  let simulations = 0;
  for (let effort = 0; simulations < mostSimulations; simulations += 1) {
    if (start.cars.length === 0 || (simulations >= fewestSimulations && effort > enoughEffort)) break;
    const simulated = yield* simulation(season, drawCulprits(), ages);
    for (const [carId, at] of simulated.landings) landings.get(carId)?.push(at);
    effort += simulated.effort;
  }
  return {
    ...known,
    reason: undefined,
    cars: start.cars.map(({ id }): CarForecast => {
      const found = (landings.get(id) ?? []).sort((a, b) => a - b);
      const foretold = found.length >= leastLandings * simulations ? found : [];
      return { carId: id, median: quantile(foretold, 0.5), latest: latestOf(foretold) };
    }),
  };
}
