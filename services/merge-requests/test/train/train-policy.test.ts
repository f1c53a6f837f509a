import { calibrate } from '../../../../bench/forecast.mjs';
import { simulateProject } from '../../../../bench/simulated-project.mjs';
import { loads, policies, simulatePolicy } from '../../../../bench/train-policy.mjs';
import { forecastTrain } from '../../src/merge-trains/domain/forecast';
import { emptyTrain, newCar } from '../../src/merge-trains/domain/merge-train';
import { normal, seededRandom } from '../../src/merge-trains/domain/random';
import { simulateTrain } from '../../src/merge-trains/domain/simulated-train';

const machine = { emptyTrain, newCar, simulateTrain, seededRandom, normal, forecastTrain };

const days = 3;
const seeds = [1, 2];

const quiet = loads['8/h, 5 % culprits, no flakes'];
const flaky = loads['8/h, 5 % culprits, 2 % flakes'];

/** The mean over the seeds of what a policy makes of a load. */
function meanOf(load: object, policy: keyof typeof policies): Record<string, number> {
  const results = seeds.map((seed) => simulatePolicy(machine, load, policies[policy], { days, seed }));
  const names = Object.keys(results[0] ?? {}) as (keyof (typeof results)[number])[];
  return Object.fromEntries(
    names.map((name) => [name, results.reduce((sum, result) => sum + Number(result[name]), 0) / results.length]),
  );
}

describe('the size of batches and the rules of blame, under a simulated CI (D8)', () => {
  it('removes no innocent without flakes, and is as fast as a quarter above an oracle with slots to spare', () => {
    for (const policy of ['just blame, 20 slots', 'with batches, 20 slots'] as const) {
      const found = meanOf(quiet, policy);
      expect(found).toMatchObject({ innocents: 0, culpritsLanded: 0 });
      expect(found.landed).toBeGreaterThan(99);
      expect(found.toOracle).toBeLessThan(1.3);
    }
  });

  it('evicting whoever fails first removes innocents: what the simulation is there to show', () => {
    expect(meanOf(quiet, 'evict first, 20 slots').innocents).toBeGreaterThan(2);
  });

  it('removes hardly an innocent with flakes and a retry', () => {
    expect(meanOf(flaky, 'just blame, 20 slots').innocents).toBeGreaterThan(0.5);
    for (const policy of ['with retry, 20 slots', 'with batches, 20 slots'] as const) {
      expect(meanOf(flaky, policy).innocents).toBeLessThan(0.5);
    }
  });

  it('lands all on five slots, which is too few without batches', () => {
    const found = meanOf(flaky, 'with batches, 5 slots');
    expect(found).toMatchObject({ culpritsLanded: 0 });
    expect(found.landed).toBeGreaterThanOrEqual(99.5);
    expect(found.p50).toBeLessThan(150);
    expect(found.buildsPerLanding).toBeLessThan(1.25);
    expect(meanOf(flaky, 'just blame, 5 slots').p50).toBeGreaterThan(1.5 * (found.p50 ?? 0));
  });

  it('gives the same result for the same seed', () => {
    const once = () => simulateProject(machine, flaky, policies['with batches, 5 slots'], { days: 1, seed: 7 });
    expect(once()).toEqual(once());
  });
});

it('nine of ten landings come by their 90th percentile, culprits ahead or not', () => {
  const results = [
    calibrate(machine, flaky, policies['with batches, 5 slots'], { days: 6, seed: 1, everyHours: 6 }),
    calibrate(machine, flaky, policies['with batches, 20 slots'], { days: 6, seed: 2, everyHours: 6 }),
  ];
  const landings = results.reduce((sum, one) => sum + one.landings, 0);
  const shareOf = (name: 'byMedian' | 'byLatest') =>
    results.reduce((sum, one) => sum + one[name] * one.landings, 0) / landings;
  expect(landings).toBeGreaterThan(200);
  expect(shareOf('byLatest')).toBeGreaterThan(82);
  expect(shareOf('byLatest')).toBeLessThan(97);
  expect(shareOf('byMedian')).toBeGreaterThan(35);
  expect(shareOf('byMedian')).toBeLessThan(70);
});
