import type { Verdict } from '../../merge-requests';
import type { Car, CarBuild, Step, Train } from './merge-train';

const ended: ReadonlySet<Verdict> = new Set(['failed', 'canceled', 'late']);

/** Neighbours in the queue that are tested together; most often one car. */
export type Group = readonly Car[];

/** The queue, by what is tested together. */
export function groupsOf(cars: readonly Car[]): Group[] {
  const groups: Car[][] = [];
  for (const car of cars) {
    const last = groups.at(-1);
    if (last !== undefined && car.batchId !== undefined && last[0]?.batchId === car.batchId) last.push(car);
    else groups.push([car]);
  }
  return groups;
}

/** The build that is tested for a group: that of its tip. Undefined until all of it is built. */
export const testedBuild = (group: Group): CarBuild | undefined =>
  group.every(({ build }) => build !== undefined) ? group.at(-1)?.build : undefined;

/**
 * Whether a group waits in its place because it failed: nothing is built on it. While its commit is tested again it
 * still counts as failing, so that those behind it need not be built a third time when that fails too.
 */
export function isFailing(group: Group): boolean {
  if (group.length === 1 && group[0]?.held !== undefined) return true;
  const build = testedBuild(group);
  return build !== undefined && (ended.has(build.verdict) || (hasFailed(build) && build.verdict !== 'green'));
}

const hasFailed = ({ reruns, failedNames }: CarBuild): boolean => reruns > 0 || failedNames.length > 0;

/** Whether a group occupies a place of the window, or is about to. */
const takesPlace = (group: Group): boolean =>
  group[0]?.status !== 'merging' &&
  group[0]?.build !== undefined &&
  (testedBuild(group)?.verdict ?? 'pending') === 'pending';

/** A pipeline that runs. */
const runs = (group: Group): boolean => takesPlace(group) && testedBuild(group)?.requested === true;

/** Pipelines that may still be opened. */
export const freePlaces = (train: Train): number => train.parallel - groupsOf(train.cars).filter(runs).length;

const withoutPipeline = (car: Car): Car =>
  car.build === undefined || (car.build.pipelineId === undefined && !car.build.requested)
    ? car
    : {
        ...car,
        build: {
          ...car.build,
          pipelineId: undefined,
          requested: false,
          verdict: 'pending',
          reruns: 0,
          failedNames: [],
        },
      };

/**
 * The queue without some cars. A pipeline tests the tip of its batch: what is left of a batch whose tip leaves was not
 * tested by it.
 */
export const withoutCars = (cars: readonly Car[], ids: ReadonlySet<number>): Car[] =>
  groupsOf(cars).flatMap((group) => {
    const left = group.filter(({ id }) => !ids.has(id));
    return left.length > 0 && left.at(-1) !== group.at(-1) ? left.map(withoutPipeline) : left;
  });

const unbuilt = (car: Car): Car => ({ ...car, status: 'stale', build: undefined });

/** The cars of a failed batch, each to be tested by itself: cumulative prefixes of the chain, which stays. */
function takenApart(group: Group): Car[] {
  return group.map((car, at): Car => {
    const single = { ...withoutPipeline(car), batchId: undefined, alone: true };
    const { build } = single;
    if (at < group.length - 1 || build === undefined || car.build?.verdict !== 'failed') return single;
    // The tip's commit is the one that failed: testing it by itself is testing it again.
    return { ...single, build: { ...build, reruns: 1, failedNames: car.build.failedNames } };
  });
}

interface Chained {
  readonly group: Group;
  /** What the next group is built on; undefined while that is not built. */
  readonly tip: string | undefined;
}

/** Drops the builds of a group that do not lie on `tip` any more. */
function chained(group: Group, tip: string | undefined): Chained {
  let onto = tip;
  let cars = group.map((car): Car => {
    if (car.status === 'merging') {
      onto = car.build?.sha;
      return car;
    }
    const held = car.held?.onto === onto ? car.held : undefined;
    const build = car.build?.onto === onto ? car.build : undefined;
    onto = build?.sha;
    if (held === car.held && build === car.build) return car;
    return build === undefined && car.build !== undefined ? { ...unbuilt(car), held } : { ...car, held };
  });
  // A pipeline tests the whole batch or nothing of it.
  if (cars.some(({ build }) => build === undefined)) cars = cars.map(withoutPipeline);
  return { group: cars, tip: isFailing(cars) ? tip : onto };
}

function isTornApart(train: Train, group: Group): boolean {
  const verdict = testedBuild(group)?.verdict;
  if (group.length === 1 || verdict === undefined || !ended.has(verdict) || train.state === 'paused') return false;
  return verdict === 'canceled' || group[0]?.build?.onto === train.base;
}

/** The queue with those builds alone that are current, and failed batches on landed commits taken apart. */
function rechained(train: Train): Car[] {
  let tip = train.base;
  return groupsOf(train.cars).flatMap((given) => {
    const next = chained(given, tip);
    if (!isTornApart(train, next.group)) {
      tip = next.tip;
      return next.group;
    }
    return takenApart(next.group).map((car) => {
      const single = chained([car], tip);
      tip = single.tip;
      return single.group[0] as Car;
    });
  });
}

const pipelinesOf = (cars: readonly Car[]): Set<number> =>
  new Set(cars.flatMap(({ build }) => build?.pipelineId ?? []));

/** A failure on commits that have all landed, which is to be tested again before its car is blamed. */
export const awaitsRerun = (train: Train, { held, build, status }: Car): boolean =>
  held === undefined &&
  status === 'fresh' &&
  build?.verdict === 'failed' &&
  build.onto === train.base &&
  build.reruns < train.retries;

/** Opens what there is room for, in queue order. */
function opened(train: Train): { train: Train; steps: Step[] } {
  const steps: Step[] = [];
  if (train.state === 'paused' || train.base === undefined) return { train, steps };
  let free = freePlaces(train);
  const cars = groupsOf(train.cars).flatMap((group): Group => {
    const build = testedBuild(group);
    if (free <= 0 || build === undefined || group[0]?.status === 'merging') return group;
    const rerun = group.length === 1 && awaitsRerun(train, group[0] as Car);
    if (!rerun && (build.requested || build.verdict !== 'pending')) return group;
    free -= 1;
    steps.push({
      kind: 'open_pipeline',
      carIds: group.map(({ id }) => id),
      sha: build.sha,
      rerun: rerun || build.reruns > 0,
    });
    return group.map((car): Car => {
      const own = car.build as CarBuild;
      return {
        ...car,
        build: {
          ...own,
          pipelineId: undefined,
          requested: true,
          verdict: 'pending',
          reruns: own.reruns + (rerun ? 1 : 0),
        },
      };
    });
  });
  return steps.length === 0 ? { train, steps } : { train: { ...train, cars }, steps };
}

/**
 * Brings a train in order after a change: builds that are not current go, failed batches are taken apart, pipelines are
 * opened where there is room and cancelled where they test nothing that may land. Idempotent.
 * @param before what the pipelines to cancel are found by
 */
export function inOrder(before: Train, train: Train): { train: Train; steps: Step[] } {
  const cars = rechained(train);
  const same = cars.length === train.cars.length && cars.every((car, at) => car === train.cars[at]);
  const open = opened(same ? train : { ...train, cars });
  const kept = pipelinesOf(open.train.cars);
  const dropped = [...pipelinesOf(before.cars)].filter((id) => !kept.has(id));
  return {
    train: open.train,
    steps: [...dropped.map((pipelineId) => ({ kind: 'cancel_pipeline' as const, pipelineId })), ...open.steps],
  };
}

/** The commit that a car at `position` is to be built on; undefined while one ahead of it is not built. */
export function ontoOf(train: Train, position: number): string | undefined {
  let tip = train.base;
  let at = 0;
  for (const group of groupsOf(train.cars)) {
    let onto = tip;
    for (const car of group) {
      if (at === position) return onto;
      onto = car.build?.sha;
      at += 1;
    }
    tip = isFailing(group) ? tip : onto;
  }
  return undefined;
}

/** The first car that has no build and can have one. */
export function nextToBuild(train: Train): { car: Car; onto: string; continues: boolean } | undefined {
  let tip = train.base;
  for (const group of groupsOf(train.cars)) {
    let onto = tip;
    for (const [at, car] of group.entries()) {
      if (car.build === undefined && car.held === undefined) {
        return onto === undefined ? undefined : { car, onto, continues: at > 0 };
      }
      onto = car.build?.sha;
    }
    tip = isFailing(group) ? tip : onto;
  }
  return undefined;
}

/** Pipelines that run, are waited for by what is built, or test a failure again. */
const placesTaken = (train: Train, groups: readonly Group[]): number =>
  groups.filter((group) => takesPlace(group) || (group.length === 1 && awaitsRerun(train, group[0] as Car))).length;

/** Cars that wait to be built. */
export const waitingCars = ({ cars }: Train): number =>
  cars.filter(({ build, held }) => build === undefined && held === undefined).length;

/**
 * Whether it is still open what a failed batch will leave: it waits for what is ahead of it, or its members are being
 * tested one by one. Either way most of its members will land, and nothing that is built around it will be current.
 */
const isOpen = (train: Train, group: Group): boolean => {
  if (group.length > 1) return isFailing(group);
  const [{ alone, build } = { alone: false, build: undefined }] = group;
  return alone && build?.verdict === 'pending' && build.reruns > 0 && build.onto !== train.base;
};

/**
 * Whether there is room to test one more group: a pipeline may be opened, and while more cars wait than can be tested
 * none is wasted behind a failed batch (ADR 21).
 */
export function hasRoom(train: Train): boolean {
  const groups = groupsOf(train.cars);
  if (placesTaken(train, groups) >= train.parallel) return false;
  return waitingCars(train) <= freePlaces(train) || !groups.some((group) => isOpen(train, group));
}
