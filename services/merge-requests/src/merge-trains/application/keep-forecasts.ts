import type { TrainForecast } from '../domain/train-forecast';
import type { TrainForecasts } from './train-forecasts.ports';

/** What keeping forecasts fresh works with. */
export interface KeptForecastEdges {
  readonly forecasts: Pick<TrainForecasts, 'claim' | 'keep' | 'outdated'>;
  /** Makes a forecast of now. */
  readonly forecastOf: (trainId: number) => Promise<TrainForecast>;
}

/** Trains whose change is remembered; the others are found by the look of each minute. */
const mostChanged = 1_000;
/** Trains of one run: what is left is done in the next. */
const mostForecasts = 50;

/** Keeps the expected times of cars fresh. */
export interface KeptForecasts {
  /** A train has changed. */
  changed(trainId: number): void;
  /** Forecasts what has changed since the last run, until `stopping`. */
  run(stopping: AbortSignal): Promise<void>;
  /** Looks for trains with cars whose forecast is old, since time passes without a change too. */
  look(): Promise<void>;
}

/**
 * Keeps when cars are expected to land: after a change of a train, those within a run together, and as time passes. Of
 * several processes one makes each forecast; one that dies is followed by the look of the next minute.
 */
export function keepForecasts({ forecasts, forecastOf }: KeptForecastEdges): KeptForecasts {
  const changed = new Set<number>();
  const remember = (trainId: number): void => {
    if (changed.size < mostChanged) changed.add(trainId);
  };

  async function refresh(trainId: number): Promise<void> {
    if (!(await forecasts.claim(trainId))) return;
    const { entries } = await forecastOf(trainId);
    await forecasts.keep(trainId, entries);
  }

  return {
    changed: remember,
    async run(stopping) {
      for (const trainId of [...changed].slice(0, mostForecasts)) {
        if (stopping.aborted) return;
        changed.delete(trainId);
        await refresh(trainId);
      }
    },
    async look() {
      for (const trainId of await forecasts.outdated()) remember(trainId);
    },
  };
}
