import type { Car, Train } from './merge-train';
import { freePlaces, groupsOf, waitingCars } from './merge-train-chain';

/** Cars of a queue from a position on that one pipeline could test together: neighbours that wait and did not fail. */
function waitingFrom(cars: readonly Car[], position: number): number {
  const end = cars.findIndex(
    ({ build, held, alone }, at) => at >= position && (build !== undefined || held !== undefined || alone),
  );
  return (end === -1 ? cars.length : end) - position;
}

/**
 * How many cars are tested together, from the car at `position` on (ADR 21). One while every waiting car has a place of
 * its own: a batch lands later than a single car, and costs a round when it fails. Else as many as share out the queue
 * over the places that are free, or half of all when those are fewer, since more become free before the queue is built.
 * But for a share p of failing cars not more than 1/√p, where a batch starts to cost more builds than it saves; not so
 * many that failures start too much behind them again; and never more than the project's maximum.
 */
export function batchSizeAt(train: Train, position: number): number {
  const car = train.cars[position];
  if (car === undefined || car.alone || train.batchSize === 1) return 1;
  const waiting = waitingCars(train);
  const free = freePlaces(train);
  if (waiting <= Math.max(1, free)) return 1;
  const wanted = Math.ceil(waiting / Math.max(1, free, Math.floor(train.parallel / 2)));
  const rate = Math.max(train.failureRate, leastRate);
  const worthwhile = Math.round(1 / Math.sqrt(rate));
  // Of w pipelines in a row, w·b·p fail, and each has half of the others started again.
  const undisturbed = Math.round((2 * mostRestarts) / (rate * train.parallel ** 2));
  const most = Math.min(worthwhile, undisturbed, train.batchSize, waitingFrom(train.cars, position));
  return Math.max(1, Math.min(wanted, most));
}

/** Pipelines that may be started again, on average, because of failures among those that run at the same time. */
const mostRestarts = 5;
/** Below one failing car in a hundred, ten cars and more are worthwhile, which is the greatest maximum. */
const leastRate = 0.01;

/**
 * Marks the cars that are tested together with the one at `position`, when that is the first of them to be built. What
 * was marked earlier is planned again: the queue may have become shorter since.
 */
export function withBatchAt(train: Train, position: number): Train {
  const first = train.cars[position] as Car;
  const group = groupsOf(train.cars).find((cars) => cars.includes(first));
  if (group?.[0] !== first) return train;
  const size = batchSizeAt(train, position);
  const members = train.cars.slice(position, position + size);
  // Those that were in a batch of this car before it was put first still bear its id.
  const marked = new Set([first.id, ...members.flatMap(({ batchId }) => batchId ?? [])]);
  return {
    ...train,
    cars: train.cars.map((car, at): Car => {
      if (size > 1 && at >= position && at < position + size) return { ...car, batchId: first.id };
      return car.batchId !== undefined && marked.has(car.batchId) ? { ...car, batchId: undefined } : car;
    }),
  };
}
