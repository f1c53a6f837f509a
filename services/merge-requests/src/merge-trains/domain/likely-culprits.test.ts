import { likelyCulprits } from './likely-culprits';
import { type Car, emptyTrain, newCar, type Train } from './merge-train';
import { seededRandom } from './random';

const rates = { culprits: 0.05, flakes: 0.02 };

/** `1 A>a failed` is a car that was built on A as a. */
function car(text: string): Car {
  const [, id, onto, sha = '', verdict, reruns] = /^(\d+)(?: (\w+)>(\w+) (\w+)(?: after (\d))?)?$/.exec(text) ?? [];
  const base = newCar(Number(id), Number(id));
  if (onto === undefined) return base;
  const build = {
    onto,
    sha,
    pipelineId: Number(id),
    requested: true,
    verdict: verdict as 'failed',
    reruns: Number(reruns ?? 0),
  };
  return { ...base, status: 'fresh', build: { ...build, failedNames: reruns === undefined ? [] : ['test'] } };
}

const trainOf = (...cars: string[]): Train => ({ ...emptyTrain(), base: 'A', cars: cars.map(car) });

/** How often each car is among the culprits. */
function shares(train: Train): number[] {
  const draw = likelyCulprits(train, rates, seededRandom(3));
  const counts = train.cars.map(() => 0);
  const draws = 4_000;
  for (let nth = 0; nth < draws; nth += 1) {
    const drawn = draw();
    for (const [at, { id }] of train.cars.entries()) counts[at] = (counts[at] ?? 0) + (drawn.has(id) ? 1 : 0);
  }
  return counts.map((count) => count / draws);
}

describe('which cars may be culprits (D8)', () => {
  it('without a report, as many as usual', () => {
    for (const share of shares(trainOf('1', '2 A>b pending'))) expect(Math.abs(share - 0.05)).toBeLessThan(0.015);
  });

  it('none of a commit that passed', () => {
    expect(shares(trainOf('1 A>a pending', '2 a>b green', '3'))).toEqual([0, 0, expect.any(Number)]);
  });

  it('a car that failed by itself, unless it was a flake: Bayes', () => {
    const alone = 0.05 / (0.05 + 0.95 * 0.02);
    expect(Math.abs((shares(trainOf('1 A>a failed'))[0] ?? 0) - alone)).toBeLessThan(0.04);
    // A flake twice in a row is less likely.
    const twice = 0.05 / (0.05 + 0.95 * 0.02 ** 2);
    expect(Math.abs((shares(trainOf('1 A>a pending after 1'))[0] ?? 0) - alone)).toBeLessThan(0.04);
    expect(Math.abs((shares(trainOf('1 A>a failed after 1'))[0] ?? 0) - twice)).toBeLessThan(0.02);
  });

  it('shares the blame among those of a failed commit, whose prefix is not known', () => {
    const [first = 0, second = 0, third = 0] = shares(trainOf('1 A>a pending', '2 a>b pending', '3 b>c failed'));
    for (const share of [first, second, third]) expect(Math.abs(share - 0.3)).toBeLessThan(0.06);
    const [innocent = 1, rest = 0, last = 0] = shares(trainOf('1 A>a green', '2 a>b pending', '3 b>c failed'));
    expect(innocent).toBe(0);
    expect(Math.abs(rest - last)).toBeLessThan(0.06);
    expect(rest + last).toBeGreaterThan(0.7);
  });

  it('two failures with one car in common point at that', () => {
    const [common = 0, second = 0, third = 0] = shares(trainOf('1 A>a pending', '2 a>b failed', '3 a>c failed'));
    expect(common).toBeGreaterThan(0.7);
    expect(second).toBeLessThan(0.25);
    expect(third).toBeLessThan(0.25);
  });
});
