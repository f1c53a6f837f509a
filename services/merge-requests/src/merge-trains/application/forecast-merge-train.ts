import { setImmediate as otherWork } from 'node:timers/promises';
import { notFound, unavailable } from '@switchyard/errors';
import { type Forecast, type ForecastInput, forecastTrain } from '../domain/forecast';
import { forecastInput, type TrainForecast } from '../domain/train-forecast';
import type { MergeTrainEdges } from './merge-train.edges';
import type { TrainForecasts } from './train-forecasts.ports';

/** What forecasts work with. */
export interface ForecastEdges extends Pick<MergeTrainEdges, 'clock'> {
  readonly mergeTrains: Pick<MergeTrainEdges['mergeTrains'], 'load'>;
  readonly forecasts: TrainForecasts;
}

/** Milliseconds after which a forecast lets other work of the process go first. */
const sliceMs = 4;
/** Milliseconds for which a forecast answers all who ask: it costs a hundred times what other reads cost. */
const freshMs = 1_000;
/** Forecasts that are waited for at a time: each may take a tenth of a second of CPU. */
const mostWaiting = 100;

async function inSlices(input: ForecastInput): Promise<Forecast> {
  const simulations = forecastTrain(input);
  for (;;) {
    const until = performance.now() + sliceMs;
    while (performance.now() < until) {
      const next = simulations.next();
      if (next.done) return next.value;
    }
    await otherWork();
  }
}

async function made({ mergeTrains, forecasts, clock }: ForecastEdges, trainId: number): Promise<TrainForecast> {
  const stored = await mergeTrains.load(trainId);
  if (stored === undefined) throw notFound('Merge Train');
  const history = await forecasts.history(trainId);
  const now = clock();
  const { knownRuns, reason, cars } = await inSlices(forecastInput(stored, history, now));
  const foretold = new Map(cars.map((car) => [car.carId, car]));
  const after = (milliseconds: number | undefined): Date | undefined =>
    milliseconds === undefined ? undefined : new Date(now.getTime() + milliseconds);
  return {
    targetBranch: stored.targetBranch,
    knownRuns,
    reason,
    generatedAt: now,
    entries: stored.train.cars.flatMap(({ id }, at) => {
      const car = stored.cars.get(id);
      const { median, latest } = foretold.get(id) ?? {};
      if (car === undefined) return [];
      return { id, mergeRequestIid: car.iid, position: at + 1, expectedAt: after(median), expectedBy: after(latest) };
    }),
  };
}

/**
 * When the cars of a train will land: one forecast at a time, in slices that keep the process answering, and one for all
 * who ask within a second.
 */
export function forecaster(edges: ForecastEdges): (trainId: number) => Promise<TrainForecast> {
  const current = new Map<number, Promise<TrainForecast>>();
  let last: Promise<unknown> = Promise.resolve();
  return (trainId) => {
    const found = current.get(trainId);
    if (found !== undefined) return found;
    if (current.size >= mostWaiting) throw unavailable(`${current.size} forecasts are waited for`);
    const next = last.then(() => made(edges, trainId));
    last = next.catch(() => undefined);
    current.set(trainId, next);
    const forget = (): void => {
      current.delete(trainId);
    };
    next.then(() => setTimeout(forget, freshMs).unref(), forget);
    return next;
  };
}

/**
 * When each entry of a branch's train is expected to land.
 * @throws AppError not_found for a branch without a train; unavailable when too many forecasts are asked for
 */
export const forecastMergeTrain =
  (forecasts: Pick<TrainForecasts, 'trainOf'>, forecastOf: (trainId: number) => Promise<TrainForecast>) =>
  async (key: { projectId: number; targetBranch: string }): Promise<TrainForecast> => {
    const trainId = await forecasts.trainOf(key.projectId, key.targetBranch);
    if (trainId === undefined) throw notFound('Merge Train');
    return forecastOf(trainId);
  };
