import { batchSizeAt } from './batch-size';
import { type Car, emptyTrain, newCar, type Train } from './merge-train';

/** A train with that many cars whose pipelines run, and that many that wait. */
function trainOf(running: number, waiting: number, given: Partial<Train> = {}): Train {
  const cars = Array.from({ length: running + waiting }, (_, at): Car => {
    const car = newCar(at + 1, at + 1);
    if (at >= running) return car;
    const build = { onto: at === 0 ? 'A' : `s${at}`, sha: `s${at + 1}`, pipelineId: at + 1, requested: true } as const;
    return { ...car, status: 'fresh', build: { ...build, verdict: 'pending', reruns: 0, failedNames: [] } };
  });
  return { ...emptyTrain({ parallel: 5, batchSize: 10 }), base: 'A', cars, ...given };
}

const sizeOf = (running: number, waiting: number, given: Partial<Train> = {}): number =>
  batchSizeAt(trainOf(running, waiting, given), running);

describe('the size of batches (ADR 21)', () => {
  it('is one while every car has a place of its own', () => {
    expect([1, 4, 5].map((waiting) => sizeOf(0, waiting))).toEqual([1, 1, 1]);
    expect(sizeOf(4, 1)).toBe(1);
    expect(sizeOf(0, 40, { batchSize: 1 })).toBe(1);
  });

  it('shares the queue out over the free places, or half of all', () => {
    expect(sizeOf(0, 6)).toBe(2);
    expect(sizeOf(2, 7)).toBe(3);
    // One place is free, but not for long.
    expect(sizeOf(4, 6)).toBe(3);
    expect(sizeOf(0, 40, { batchSize: 3 })).toBe(3);
  });

  it('is smaller the more cars fail', () => {
    expect([0, 0.01, 0.05, 0.1, 0.2].map((failureRate) => sizeOf(0, 60, { failureRate }))).toEqual([10, 10, 4, 3, 2]);
  });

  it('is smaller the more runs behind a failure', () => {
    const sizes = [5, 10, 14, 20].map((parallel) => sizeOf(0, 200, { parallel, failureRate: 0.05 }));
    expect(sizes).toEqual([4, 2, 1, 1]);
  });

  it('leaves those alone that were in a batch that failed, and ends before them', () => {
    const train = trainOf(0, 40, { failureRate: 0.01 });
    const cars = train.cars.map((car, at) => (at === 3 ? { ...car, alone: true } : car));
    expect([0, 3, 4].map((position) => batchSizeAt({ ...train, cars }, position))).toEqual([3, 1, 8]);
  });
});
