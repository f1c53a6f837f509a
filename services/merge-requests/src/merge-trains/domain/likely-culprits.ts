import type { Car, Train } from './merge-train';
import { groupsOf, testedBuild } from './merge-train-chain';

/** Rates seen on a branch, 0 to 1. */
export interface FailureRates {
  /** Of merge requests, those that fail by themselves. */
  readonly culprits: number;
  /** Of pipelines, those that fail although nothing they test does. */
  readonly flakes: number;
}

/** A commit that failed: how often, and which cars are in it. */
interface Failure {
  readonly carIds: readonly number[];
  readonly times: number;
}

/** Updates of every suspect between two draws: neighbouring draws should not resemble each other. */
const sweeps = 4;

/** The cars whose commits a commit holds. */
function carsIn(sha: string | undefined, byCommit: ReadonlyMap<string, Car>): number[] {
  const carIds: number[] = [];
  for (let car = byCommit.get(sha ?? ''); car !== undefined; car = byCommit.get(car.build?.onto ?? '')) {
    carIds.push(car.id);
  }
  return carIds;
}

/** What the pipelines of a train say about its cars. */
function evidenceOf(train: Train): { innocent: ReadonlySet<number>; failures: Failure[] } {
  const byCommit = new Map(
    train.cars.flatMap((car) => (car.build === undefined ? [] : [[car.build.sha, car] as const])),
  );
  const innocent = new Set<number>();
  const failed: Failure[] = [];
  for (const group of groupsOf(train.cars)) {
    const build = testedBuild(group);
    if (build === undefined) continue;
    const times = build.reruns + (build.verdict === 'failed' || build.verdict === 'late' ? 1 : 0);
    const carIds = build.verdict === 'green' || times > 0 ? carsIn(build.sha, byCommit) : [];
    if (build.verdict === 'green') for (const id of carIds) innocent.add(id);
    else if (times > 0) failed.push({ carIds, times });
  }
  const failures = failed
    .map(({ carIds, times }) => ({ carIds: carIds.filter((id) => !innocent.has(id)), times }))
    .filter(({ carIds }) => carIds.length > 0);
  return { innocent, failures };
}

/**
 * Draws, again and again, which cars of a train may fail by themselves, given what its pipelines have reported: nothing
 * in a commit that passed does; in one that failed something does, or it was a flake. Gibbs sampling over the cars of
 * failed commits; all others are drawn by the rate alone.
 */
export function likelyCulprits(
  train: Train,
  { culprits, flakes }: FailureRates,
  random: () => number,
): () => ReadonlySet<number> {
  const { innocent, failures } = evidenceOf(train);
  const suspects = [...new Set(failures.flatMap(({ carIds }) => carIds))];
  const failuresOf = new Map(suspects.map((id) => [id, failures.filter(({ carIds }) => carIds.includes(id))]));
  const guilty = new Set<number>();

  /** How much more likely the failures are when a car is a culprit, the others being as they are. */
  function likelihood(carId: number): number {
    let ratio = 1;
    for (const { carIds, times } of failuresOf.get(carId) ?? []) {
      if (!carIds.some((id) => id !== carId && guilty.has(id))) ratio /= flakes ** times;
    }
    return ratio;
  }

  function update(carId: number): void {
    const odds = (culprits / (1 - culprits)) * likelihood(carId);
    if (random() * (1 + odds) < odds) guilty.add(carId);
    else guilty.delete(carId);
  }

  /** Puts the blame for a failure on another of its cars: one by one, that would take two unlikely updates. */
  function shift({ carIds }: Failure): void {
    const from = carIds[Math.floor(random() * carIds.length)] as number;
    const to = carIds[Math.floor(random() * carIds.length)] as number;
    if (!guilty.has(from) || guilty.has(to)) return;
    const before = likelihood(from);
    guilty.delete(from);
    const after = likelihood(to);
    guilty.add(random() * before < after ? to : from);
  }

  return () => {
    for (let sweep = 0; sweep < sweeps; sweep += 1) {
      for (const carId of suspects) update(carId);
      for (const failure of failures) shift(failure);
    }
    const drawn = new Set(guilty);
    for (const { id } of train.cars) {
      if (!innocent.has(id) && !failuresOf.has(id) && random() < culprits) drawn.add(id);
    }
    return drawn;
  };
}
