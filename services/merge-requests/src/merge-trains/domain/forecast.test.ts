import { type Forecast, type ForecastInput, forecastTrain, mostForecast } from './forecast';
import { type Car, type CarBuild, emptyTrain, newCar, type Train } from './merge-train';
import { normal, seededRandom } from './random';
import type { SeenRun } from './seen-runs';

const minute = 60_000;

const runsOf = (...minutes: number[]): SeenRun[] =>
  minutes.map((lasted) => ({ lasted: lasted * minute, verdict: 'green', rerun: false }));
/** 200 runs of 30 minutes in the median. */
const usualRuns = ((random) => runsOf(...Array.from({ length: 200 }, () => 30 * Math.exp(0.5 * normal(random)))))(
  seededRandom(1),
);

const trainOf = (cars: readonly Car[], settings: Partial<Train> = {}): Train => ({
  ...emptyTrain(),
  base: 'A',
  cars,
  ...settings,
});
const waiting = (count: number): Car[] => Array.from({ length: count }, (_, at) => newCar(at + 1, at + 1));
const built = (id: number, onto: string, build: Partial<CarBuild> = {}): Car => ({
  ...newCar(id, id),
  status: 'fresh',
  build: {
    onto,
    sha: `s${id}`,
    pipelineId: id,
    requested: true,
    verdict: 'pending',
    reruns: 0,
    failedNames: [],
    ...build,
  },
});

const inputOf = (train: Train, given: Partial<ForecastInput> = {}): ForecastInput => ({
  train,
  ages: new Map(),
  runs: usualRuns,
  left: { failed: 10, landed: 190 },
  seed: 1,
  ...given,
});

function made(input: ForecastInput): Forecast & { slices: number } {
  const simulations = forecastTrain(input);
  for (let slices = 1; ; slices += 1) {
    const next = simulations.next();
    if (next.done) return { ...next.value, slices };
  }
}

const minutesOf = (forecast: Forecast) =>
  forecast.cars.map(({ median, latest }) => [median, latest].map((value) => value && value / minute));

describe('the forecast of a train (D8)', () => {
  it('says nothing before five runs are known, or while the train is paused', () => {
    const four = runsOf(10, 10, 10, 10);
    expect(made(inputOf(trainOf(waiting(2)), { runs: four }))).toMatchObject({
      reason: 'too_few_runs',
      knownRuns: 4,
      cars: [],
    });
    expect(made(inputOf(trainOf(waiting(2)), { runs: [...four, ...four] }))).toMatchObject({
      reason: undefined,
      knownRuns: 8,
    });
    expect(made(inputOf(trainOf(waiting(2), { state: 'paused' })))).toMatchObject({ reason: 'paused', cars: [] });
    expect(made(inputOf(trainOf([])))).toMatchObject({ reason: undefined, cars: [] });
  });

  it('is what a run takes for the first car, and as much more as there are culprits ahead for the last', () => {
    const safe = { left: { failed: 0, landed: 10_000 }, runs: runsOf(...Array.from({ length: 200 }, () => 30)) };
    expect(minutesOf(made(inputOf(trainOf(waiting(1)), safe)))[0]?.[0]).toBeCloseTo(30, 0);
    const few = minutesOf(made(inputOf(trainOf(waiting(10)), { left: { failed: 2, landed: 198 } })));
    const many = minutesOf(made(inputOf(trainOf(waiting(10)), { left: { failed: 60, landed: 140 } })));
    expect(many[9]?.[1]).toBeGreaterThan(1.3 * (few[9]?.[1] ?? Number.NaN));
  });

  it('counts how long a pipeline has run: it lasts at least that long', () => {
    const runs = runsOf(10, 10, 10, 10, 10, 10, 10, 10, 40, 40);
    const train = trainOf([built(1, 'A')]);
    const begun = minutesOf(made(inputOf(train, { runs, ages: new Map([[1, 5 * minute]]) })))[0];
    const overdue = minutesOf(made(inputOf(train, { runs, ages: new Map([[1, 20 * minute]]) })))[0];
    expect(begun?.[0]).toBeLessThan(10);
    expect(overdue?.[0]).toBeGreaterThan(10);
    const beyondAll = minutesOf(made(inputOf(train, { runs, ages: new Map([[1, 400 * minute]]) })))[0];
    expect(beyondAll?.[0]).toBeGreaterThan(0);
    expect(beyondAll?.[1]).toBeLessThan(60);
  });

  it('a car whose tests have passed lands at once, and so does what is being merged', () => {
    const green = minutesOf(made(inputOf(trainOf([built(1, 'A', { verdict: 'green' }), newCar(2, 2)]))));
    expect(green[0]).toEqual([0, 0]);
    expect(green[1]?.[0]).toBeGreaterThan(10);
    const merging = { ...built(1, 'A', { verdict: 'green' }), status: 'merging' as const };
    expect(minutesOf(made(inputOf(trainOf([merging], { base: undefined }))))[0]).toEqual([0, 0]);
  });

  it('a failure further back is more likely its own when those ahead of it pass', () => {
    const failed = built(2, 's1', { verdict: 'failed', failedNames: ['test'] });
    const after = (first: Car) => minutesOf(made(inputOf(trainOf([first, failed, built(3, 's1')]))));
    const others = { left: { failed: 60, landed: 140 } };
    const innocent = made(inputOf(trainOf([built(1, 'A'), failed]), others)).cars[1];
    const suspect = made(inputOf(trainOf([built(1, 'A', { verdict: 'green' }), failed]), { ...others, seed: 2 }))
      .cars[1];
    expect(after(built(1, 'A'))).toHaveLength(3);
    // In hardly a simulation does it land.
    expect(suspect?.median).toBeUndefined();
    expect(innocent?.median).toBeGreaterThan(0);
  });

  it('a car that meets another one waits for that to leave: it hardly ever lands', () => {
    const held: Car = { ...newCar(2, 2), held: { onto: 's1', reason: 'conflict' } };
    const cars = made(
      inputOf(trainOf([built(1, 'A'), held, newCar(3, 3)]), { left: { failed: 0, landed: 1_000 } }),
    ).cars;
    expect(cars[1]).toEqual({ carId: 2, median: undefined, latest: undefined });
    expect(cars[2]?.median).toBeGreaterThan(0);
  });

  it('a car that meets another one meets it again when that is built anew', () => {
    const held: Car = { ...newCar(3, 3), held: { onto: 's2', reason: 'conflict' } };
    const leaves = built(1, 'A', { verdict: 'failed', failedNames: ['test'] });
    const train = trainOf([leaves, built(2, 's1'), held], { retries: 0 });
    const { cars } = made(inputOf(train, { left: { failed: 0, landed: 1_000 } }));
    expect(cars[1]?.median).toBeGreaterThan(0);
    expect(cars[2]?.median).toBeUndefined();
  });

  it('goes on with pipelines that are being opened, and with a batch', () => {
    const opening = trainOf([built(1, 'A', { pipelineId: undefined }), newCar(2, 2)], { parallel: 1 });
    expect(minutesOf(made(inputOf(opening)))[0]?.[0]).toBeGreaterThan(10);
    const batch = [built(1, 'A', { pipelineId: 9 }), built(2, 's1', { pipelineId: 9 })].map((car) => ({
      ...car,
      batchId: 1,
    }));
    const [first, second] = minutesOf(made(inputOf(trainOf(batch), { left: { failed: 0, landed: 1_000 } })));
    expect(first?.[0]).toBe(second?.[0]);
  });

  it('is the same for the same input', () => {
    expect(made(inputOf(trainOf(waiting(12))))).toEqual(made(inputOf(trainOf(waiting(12)))));
  });

  it('costs bounded work, in small slices, however long the train is', () => {
    const perCar = [3, 30, 100, 1_000].map((count) => {
      const { cars, slices } = made(inputOf(trainOf(waiting(count))));
      expect(cars).toHaveLength(Math.min(count, mostForecast));
      return slices;
    });
    for (const slices of perCar) {
      expect(slices).toBeGreaterThan(100);
      expect(slices).toBeLessThan(20_000);
    }
  });
});
