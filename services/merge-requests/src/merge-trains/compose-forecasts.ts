import { repeat } from '@switchyard/background';
import type { Closable } from '@switchyard/service';
import type { Edges } from '../edges';
import { type ForecastEdges, forecaster } from './application/forecast-merge-train';
import { keepForecasts } from './application/keep-forecasts';
import type { TrainForecast } from './domain/train-forecast';
import { onTrainChange } from './storage/merge-train.view';
import { trainForecastStore } from './storage/train-forecast.store';

/** Changes of a train within this many milliseconds are forecast together. */
const debounceMs = 1_000;
/** Milliseconds between two looks for forecasts that have grown old. */
const lookEveryMs = 60_000;

/** Forecasts of trains. */
export interface TrainForecasting {
  readonly forecasts: ForecastEdges['forecasts'];
  readonly forecastOf: (trainId: number) => Promise<TrainForecast>;
  /** Keeps the expected times of cars fresh, from now on. */
  start(): Closable;
}

/** Forecasts of trains over the database. */
export function composeForecasts(
  { db, clock }: Pick<Edges, 'db' | 'clock'>,
  mergeTrains: ForecastEdges['mergeTrains'],
): TrainForecasting {
  const forecasts = trainForecastStore(db);
  const edges: ForecastEdges = { mergeTrains, forecasts, clock };
  return {
    forecasts,
    forecastOf: forecaster(edges),
    start() {
      // With a forecaster of its own: what it keeps is never of before the change.
      const kept = keepForecasts({ forecasts, forecastOf: (trainId) => forecaster(edges)(trainId) });
      const unlisten = onTrainChange(db, (trainId) => {
        if (trainId !== undefined) kept.changed(trainId);
      });
      const running = repeat('forecasting changed merge trains', debounceMs, kept.run);
      const looking = repeat('looking for old forecasts', lookEveryMs, kept.look);
      return {
        async close() {
          unlisten();
          await Promise.all([running.close(), looking.close()]);
        },
      };
    },
  };
}
