import type { CarSignal } from '../../merge-requests';
import { type Step, type Train, transition } from './merge-train';
import type { CarReport, StoredTrain } from './stored-train';

/** What may take a car, or its build, from the train. */
export type Loss = CarReport | (CarSignal & { kind: 'timed_out' });

/** The train after the reports of its pipelines and the time-outs. */
export interface TrainWork {
  /** Signals that take a car, or its build, from the train: to be committed before anything else is done. */
  readonly losses: readonly Loss[];
  readonly train: Train;
  readonly steps: readonly Step[];
}

/** Applies the reports of its pipelines, and the time-outs at `now`, to a train. */
export function workOf(stored: StoredTrain, now: Date): TrainWork {
  const late = now.getTime() - stored.timeoutMinutes * 60_000;
  const timeouts = [...stored.cars.values()].flatMap(({ id, pipelineId, builtAt }): Loss[] =>
    pipelineId !== undefined && builtAt !== undefined && builtAt.getTime() <= late
      ? [{ kind: 'timed_out', carId: id, pipelineId }]
      : [],
  );
  let { train } = stored;
  const losses: Loss[] = [];
  for (const signal of [...stored.reports, ...timeouts]) {
    const next = transition(train, signal);
    const loses = signal.kind === 'pipeline_lost' || next.events.some(({ kind }) => kind === 'removed');
    if (loses && next.train !== train) losses.push(signal);
    train = next.train;
  }
  return { losses, train, steps: transition(train, { kind: 'resumed' }).steps };
}
