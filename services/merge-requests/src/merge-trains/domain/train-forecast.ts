import type { ForecastInput } from './forecast';
import type { StoredTrain } from './stored-train';

/** What a train has seen lately. */
export type TrainHistory = Pick<ForecastInput, 'runs' | 'left'>;

/** When an entry of a train is expected to land. */
export interface ExpectedEntry {
  readonly id: number;
  readonly mergeRequestIid: number;
  /** Its place in the queue, from 1. */
  readonly position: number;
  /** Median; undefined when it is not foretold. */
  readonly expectedAt: Date | undefined;
  /** 90th percentile. */
  readonly expectedBy: Date | undefined;
}

/** The forecast of a train. */
export interface TrainForecast {
  readonly targetBranch: string;
  readonly knownRuns: number;
  /** Why nothing is foretold; undefined when it is. */
  readonly reason: 'too_few_runs' | 'paused' | undefined;
  readonly generatedAt: Date;
  /** Active ones, in queue order. */
  readonly entries: readonly ExpectedEntry[];
}

/** What the forecast of a stored train is made from. The same train gives the same forecast, wherever it is made. */
export const forecastInput = (
  { id, train, pipelines }: StoredTrain,
  history: TrainHistory,
  now: Date,
): ForecastInput => ({
  ...history,
  train,
  ages: new Map([...pipelines.values()].map((one) => [one.id, Math.max(0, now.getTime() - one.openedAt.getTime())])),
  seed: id,
});
