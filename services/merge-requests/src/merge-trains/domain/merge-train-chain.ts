import type { Verdict } from '../../merge-requests';
import type { Car, CarBuild, Step, Train } from './merge-train';

const ended: ReadonlySet<Verdict> = new Set(['failed', 'canceled', 'late']);

/** Neighbours in the queue that are tested together; most often one car. */
export type Group = readonly Car[];

/** Queues never change, a signal asks for the groups of one a dozen times, and most of them are single cars. */
const known = new WeakMap<readonly Car[], readonly Group[]>();

/** The queue, by what is tested together. */
export function groupsOf(cars: readonly Car[]): readonly Group[] {
  const found = known.get(cars);
  if (found !== undefined) return found;
  const groups: Car[][] = [];
  for (const car of cars) {
    const last = groups.at(-1);
    if (last !== undefined && car.batchId !== undefined && last[0]?.batchId === car.batchId) last.push(car);
    else groups.push([car]);
  }
  known.set(cars, groups);
  return groups;
}

/** The build that is tested for a group: that of its tip. Undefined until all of it is built. */
export const testedBuild = (group: Group): CarBuild | undefined =>
  group.length === 1 || group.every(({ build }) => build !== undefined) ? group[group.length - 1]?.build : undefined;

/**
 * Whether a group waits in its place because it failed: nothing is built on it. While its commit is tested again it
 * still counts as failing, so that those behind it need not be built a third time when that fails too.
 */
export function isFailing(group: Group): boolean {
  if (group.length === 1 && group[0]?.held !== undefined) return true;
  const build = testedBuild(group);
  return build !== undefined && (ended.has(build.verdict) || (hasFailed(build) && build.verdict !== 'green'));
}

/** The group that a pipeline tests. */
export const testedBy = (train: Train, pipelineId: number): Group | undefined =>
  groupsOf(train.cars).find((group) => testedBuild(group)?.pipelineId === pipelineId);

/** The train with the same change of the build of each car of a group. */
export const withBuild = (train: Train, group: Group, change: Partial<CarBuild>): Train => ({
  ...train,
  cars: train.cars.map(
    (car): Car =>
      group.includes(car) && car.build !== undefined ? { ...car, build: { ...car.build, ...change } } : car,
  ),
});

const hasFailed = ({ reruns, failedNames }: CarBuild): boolean => reruns > 0 || failedNames.length > 0;

/** Whether a group occupies a place of the window, or is about to. */
const takesPlace = (group: Group): boolean =>
  group[0]?.status !== 'merging' &&
  group[0]?.build !== undefined &&
  (testedBuild(group)?.verdict ?? 'pending') === 'pending';

/** A pipeline that runs. */
const runs = (group: Group): boolean => takesPlace(group) && testedBuild(group)?.requested === true;

/** Pipelines that may still be opened. */
export const freePlaces = (train: Train): number => train.parallel - countOf(groupsOf(train.cars), runs);

function countOf<Item>(items: readonly Item[], counts: (item: Item) => boolean): number {
  let count = 0;
  for (const item of items) if (counts(item)) count += 1;
  return count;
}

/** Never tested: what failed of a pipeline that was deleted since is still known. */
const isUntested = ({ pipelineId, requested, reruns, failedNames }: CarBuild): boolean =>
  pipelineId === undefined && !requested && reruns === 0 && failedNames.length === 0;

/** A car whose commit has to be tested afresh. */
export const withoutPipeline = (car: Car): Car =>
  car.build === undefined || isUntested(car.build)
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

/** A car of a queue as it is without its batch, whose pipeline may have tested it with others. */
export const outOfBatch = (cars: readonly Car[], car: Car): Car => {
  const isBatch = groupsOf(cars).some((group) => group.length > 1 && group.includes(car));
  return { ...(isBatch ? withoutPipeline(car) : car), batchId: undefined };
};

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

/** Drops the builds of a group that do not lie on `tip` any more; a group that stays as it is, is the same object. */
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
  const next = cars.every((car, at) => car === group[at]) ? group : cars;
  return { group: next, tip: isFailing(next) ? tip : onto };
}

function isTornApart(train: Train, group: Group): boolean {
  const verdict = testedBuild(group)?.verdict;
  if (group.length === 1 || verdict === undefined || !ended.has(verdict) || train.state === 'paused') return false;
  return verdict === 'canceled' || group[0]?.build?.onto === train.base;
}

/** The queue with those builds alone that are current, and failed batches on landed commits taken apart. */
function rechained(train: Train): readonly Car[] {
  let tip = train.base;
  let same = true;
  const cars: Car[] = [];
  for (const given of groupsOf(train.cars)) {
    const next = chained(given, tip);
    const tornApart = isTornApart(train, next.group);
    same &&= next.group === given && !tornApart;
    for (const group of tornApart ? takenApart(next.group).map((car) => [car]) : [next.group]) {
      const placed = tornApart ? chained(group, tip) : next;
      tip = placed.tip;
      for (const car of placed.group) cars.push(car);
    }
  }
  return same ? train.cars : cars;
}

function pipelinesOf(cars: readonly Car[]): Set<number> {
  const ids = new Set<number>();
  for (const { build } of cars) if (build?.pipelineId !== undefined) ids.add(build.pipelineId);
  return ids;
}

/** Pipelines of `before` that test nothing of `after`. */
function droppedPipelines(before: readonly Car[], after: readonly Car[]): number[] {
  if (before === after) return [];
  const kept = pipelinesOf(after);
  return [...pipelinesOf(before)].filter((id) => !kept.has(id));
}

/** A failure on commits that have all landed, which is to be tested again before its car is blamed. */
export const awaitsRerun = (train: Train, { held, build, status }: Car): boolean =>
  held === undefined &&
  status === 'fresh' &&
  build?.verdict === 'failed' &&
  build.onto === train.base &&
  build.reruns < train.retries;

/** Whether a pipeline is to be opened for a group as soon as there is room. */
function lacksPipeline(train: Train, group: Group): boolean {
  const build = testedBuild(group);
  if (build === undefined || group[0]?.status === 'merging') return false;
  return (!build.requested && build.verdict === 'pending') || isRerunDue(train, group);
}

const isRerunDue = (train: Train, group: Group): boolean => group.length === 1 && awaitsRerun(train, group[0] as Car);

/** Opens what there is room for, in queue order. */
function opened(train: Train): { train: Train; steps: Step[] } {
  const steps: Step[] = [];
  if (train.state === 'paused' || train.base === undefined) return { train, steps };
  const groups = groupsOf(train.cars);
  if (!groups.some((group) => lacksPipeline(train, group))) return { train, steps };
  let free = freePlaces(train);
  const cars = groups.flatMap((group): Group => {
    if (free <= 0 || !lacksPipeline(train, group)) return group;
    const { sha, reruns } = testedBuild(group) as CarBuild;
    const rerun = isRerunDue(train, group);
    free -= 1;
    steps.push({ kind: 'open_pipeline', carIds: group.map(({ id }) => id), sha, rerun: rerun || reruns > 0 });
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
  const open = opened(cars === train.cars ? train : { ...train, cars });
  const dropped = droppedPipelines(before.cars, open.train.cars);
  return {
    train: open.train,
    steps: [...dropped.map((pipelineId) => ({ kind: 'cancel_pipeline' as const, pipelineId })), ...open.steps],
  };
}

/** The one car that is to be built now: it has no build and can have one, and all ahead of it are built. */
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
  countOf(groups, (group) => takesPlace(group) || isRerunDue(train, group));

/** Cars that wait to be built. */
export const waitingCars = ({ cars }: Train): number =>
  countOf(cars, ({ build, held }) => build === undefined && held === undefined);

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
