import { workOff } from '@switchyard/background';
import type { Tx } from '@switchyard/database';
import { isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import {
  countCommits,
  mergeRequestRef,
  parseBranchName,
  parseSha,
  probeRef,
  RefMovedError,
  type RefName,
  type Repository,
  readCommit,
  readHeads,
  readRefs,
  type Sha,
  updateRefs,
  zeroSha,
} from '../../git';
import {
  type BuiltMerge,
  buildMerge,
  type CarSignal,
  checksOf,
  decideCarRemoval,
  type Landing,
  type MergeRefusal,
  onMergeTrain,
  type RemovalReason,
  stateFailure,
  withCurrentThreads,
} from '../../merge-requests';
import { countedCommits, findReadme, mayMerge, mayMergeInto } from '../../repositories';
import type { Step } from '../domain/merge-train';
import { nextDue, workOf } from '../domain/merge-train-work';
import type { PushedFacts, StoredCar, StoredTrain, TrainRights } from '../domain/stored-train';
import type { MergeTrainEdges } from './merge-train.edges';

faultPoints.push(
  'train.commits_written',
  'train.ref_pointed',
  'train.build_committed',
  'train.left',
  'train.ref_dropped',
);

/**
 * Times a car is built before it is removed because git fails at it. With the pauses between the tries of a job, half a
 * minute.
 */
const buildTries = 7;

/**
 * Reads of a train in one run of its job: a train that needs more is queued again behind the trains of other projects.
 */
const roundsAtOnce = 25;

/**
 * The job of a train (D8): reads it, does what is to be done, and reads again until nothing is. Every outcome goes to
 * the state machine as a signal under the lock of the train, which passes over what is not current any more; so two
 * workers at once, or one that crashed half-way, cost work and nothing else.
 * @returns whether something is left to be done
 */
export const runMergeTrain =
  (edges: MergeTrainEdges, landing: Pick<Landing, 'landCars' | 'settle'>) =>
  async (trainId: number): Promise<boolean> => {
    let repo: Repository | undefined;
    for (let round = 0; round < roundsAtOnce; round += 1) {
      const stored = await edges.mergeTrains.load(trainId);
      if (stored === undefined) return false;
      if (stored.cars.size === 0 && stored.train.state === 'running') return false;
      repo ??= (await edges.openRepository(stored.projectId)).repo;
      if (!(await advance(edges, landing, repo, stored))) return false;
    }
    return true;
  };

/**
 * Removes the cars of all trains whose users are deleted, blocked or may not merge any more: no event reports that to a
 * train. A train that fails is tried again by the next run.
 */
export const removeUnauthorizedCars = (edges: MergeTrainEdges) => (stopping: AbortSignal) =>
  workOff<TrainRights>(
    'cars whose users lost their rights',
    {
      next: edges.mergeTrains.rights,
      async work({ id, projectId, targetBranch, users }) {
        const rules = await edges.protectedBranches.all(projectId);
        if (users.every((access) => mayMerge(rules, targetBranch, access))) return;
        await removeUnauthorized(edges, id);
      },
    },
    stopping,
  );

async function removeUnauthorized(edges: MergeTrainEdges, trainId: number): Promise<void> {
  const stored = await edges.mergeTrains.load(trainId);
  if (stored === undefined) return;
  const reasons = new Map<number, RemovalReason | undefined>();
  for (const { userId } of stored.cars.values()) {
    if (!reasons.has(userId)) reasons.set(userId, await reasonIfRightLost(edges, stored, userId));
  }
  for (const car of stored.cars.values()) {
    const reason = reasons.get(car.userId);
    if (reason !== undefined) await removeCar(edges, car, { kind: 'removed', carId: car.id, reason });
  }
}

/** Reads a train once and does what follows. False when there was nothing to do, or when what was done led nowhere. */
async function advance(
  edges: MergeTrainEdges,
  landing: Pick<Landing, 'landCars' | 'settle'>,
  repo: Repository,
  stored: StoredTrain,
): Promise<boolean> {
  // A landing under way is settled by the sweep.
  if (stored.stoppedBy !== undefined) return dissolve(edges, stored, stored.stoppedBy);
  // A landing under way settles where the target is; other moves of it are read after that.
  const merging = stored.train.cars[0]?.status === 'merging';
  if (stored.unseenMoves !== undefined && !merging) return readTarget(edges, repo, stored);
  const now = edges.clock();
  const { train, steps } = workOf(stored, now);
  if (train.probe !== undefined) await pointProbeRef(edges, repo, stored, train.probe.sha);
  // The intent to land saves the news as well: a landing waits for one commit less.
  const lands = steps.some(({ kind }) => kind === 'land');
  if (train !== stored.train && !lands) return edges.mergeTrains.news(stored.id, now);
  // The first cars land while one behind is built: neither makes the other's outcome void.
  const done = await Promise.allSettled(
    steps.map((step) => {
      switch (step.kind) {
        case 'read_target':
          return readTarget(edges, repo, stored);
        case 'build':
          return build(edges, repo, stored, step);
        case 'land':
          return land(edges, landing, repo, stored, step);
        case 'blame':
          return blame(edges, stored, step);
        case 'settle':
          // Its result queues the next run.
          return landing.settle(stored.cars.get(step.carId)!.mergeRequestId).then(() => false);
        default:
          return Promise.resolve(false);
      }
    }),
  );
  // All are waited for, so that nothing of this run goes on after it.
  const failed = done.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const moved = done.some((one) => one.status === 'fulfilled' && one.value);
  if (!moved) {
    const dueAt = nextDue(stored, now);
    await edges.mergeTrains.attended(stored.id, stored.settingsDigest, dueAt);
    if (dueAt !== undefined) edges.wakeTrainAt(stored.id, dueAt);
  }
  return moved;
}

/** Removes all cars but the one that is being merged. False: there is nothing more to do. */
async function dissolve(edges: MergeTrainEdges, stored: StoredTrain, reason: RemovalReason): Promise<false> {
  for (const car of stored.cars.values()) await removeCar(edges, car, { kind: 'removed', carId: car.id, reason });
  return false;
}

/** Removes a car for a failure of its own, if it is still to blame once its merge request is locked. */
async function blame(
  edges: MergeTrainEdges,
  { cars }: StoredTrain,
  { carId }: Step & { kind: 'blame' },
): Promise<boolean> {
  const car = cars.get(carId);
  return car !== undefined && (await removeCar(edges, car, { kind: 'blamed', carId }));
}

/** Removes a car from its train by a signal; a car that is being merged stays. Returns whether it was removed. */
async function removeCar(edges: MergeTrainEdges, car: StoredCar, signal: CarSignal): Promise<boolean> {
  const after = await edges.mergeRequests
    .change(car.mergeRequestId, 0, (locked) => decideCarRemoval(locked, signal))
    .catch((error: unknown) => {
      // Deleted in the meantime, and its car with it.
      if (!isAppError(error, 'not_found')) throw error;
    });
  faultPoint('train.left');
  return after === undefined || (after?.autoMergeStrategy !== onMergeTrain && after?.state !== 'locked');
}

async function reasonIfRightLost(
  edges: MergeTrainEdges,
  { projectId, targetBranch }: StoredTrain,
  userId: number,
): Promise<RemovalReason | undefined> {
  const access = await edges.directory.accessOf(userId, projectId);
  if (access.gone) return 'user_gone';
  return (await mayMergeInto(edges, projectId, targetBranch, access)) ? undefined : 'right_lost';
}

async function readTarget(edges: MergeTrainEdges, repo: Repository, stored: StoredTrain): Promise<boolean> {
  const branch = parseBranchName(stored.targetBranch);
  const head = (await readHeads(repo, [branch])).get(branch);
  if (head === undefined) return dissolve(edges, stored, 'target_branch_deleted');
  if (stored.train.targetFailing) await pointProbeRef(edges, repo, stored, head);
  await edges.mergeTrains.targetRead(stored.id, head, stored.unseenMoves);
  return true;
}

/**
 * Points the ref of a car at `next`, or removes it, whatever it points at; `expected` is what it most likely points at.
 */
const setTrainRef = (
  edges: MergeTrainEdges,
  { projectId, iid }: { readonly projectId: number; readonly iid: number },
  expected: Sha,
  next: Sha,
  within?: Tx,
): Promise<void> => pointRef(edges, projectId, mergeRequestRef(iid, 'train'), expected, next, within);

/**
 * Has the ref of a probe point at what it tests: the outside CI fetches it. A probe may also be opened by what happens
 * to a merge request, where no git runs; then this is the first to point its ref. It stays until the next probe.
 */
async function pointProbeRef(
  edges: MergeTrainEdges,
  repo: Repository,
  { id, projectId }: StoredTrain,
  sha: string,
): Promise<void> {
  const ref = probeRef(id);
  const at = (await readRefs(repo, [ref])).get(ref)?.sha;
  if (at !== sha) await pointRef(edges, projectId, ref, at ?? zeroSha, parseSha(sha));
}

/** Points a ref at `next` whatever it points at. */
const pointRef = (
  { writeInPlace }: MergeTrainEdges,
  projectId: number,
  ref: RefName,
  expected: Sha,
  next: Sha,
  within?: Tx,
): Promise<void> =>
  writeInPlace(
    projectId,
    async (repo) => {
      try {
        await updateRefs(repo, [{ ref, old: expected, new: next }]);
      } catch (error) {
        if (!(error instanceof RefMovedError)) throw error;
        if (error.actual !== next) await updateRefs(repo, [{ ref, old: error.actual, new: next }]);
      }
    },
    within,
  );

type Built = { readonly ok: true; readonly merge: BuiltMerge; readonly method: string };

async function buildCommits(
  edges: MergeTrainEdges,
  repo: Repository,
  car: StoredCar,
  onto: Sha,
  tipTree: string | undefined,
): Promise<Built | { readonly ok: false; readonly reason: MergeRefusal } | undefined> {
  const view = await edges.mergeRequests.view({ id: car.mergeRequestId });
  if (view === undefined) return undefined;
  const merge = await buildMerge(
    edges,
    repo,
    view,
    { source: parseSha(car.sourceSha), target: onto },
    {
      squash: car.squash,
      mergeCommitMessage: car.mergeCommitMessage,
      squashCommitMessage: car.squashCommitMessage,
      actorId: car.userId,
      date: car.createdAt,
      replays: true,
    },
  );
  if (!merge.ok) return merge;
  return merge.treeSha === (tipTree ?? (await readCommit(repo, onto))?.tree)
    ? { ok: false, reason: 'no_changes' }
    : { ok: true, merge, method: view.settings.mergeMethod };
}

async function build(
  edges: MergeTrainEdges,
  repo: Repository,
  stored: StoredTrain,
  { carId, onto }: Step & { kind: 'build' },
): Promise<boolean> {
  const car = stored.cars.get(carId)!;
  const ahead = stored.train.cars.find(({ build: other }) => other?.sha === onto);
  const tipTree = ahead && stored.cars.get(ahead.id)?.treeSha;
  const built = await buildCommits(edges, repo, car, parseSha(onto), tipTree).catch(async (error: unknown) => {
    // No common history to squash from.
    if (isAppError(error, 'unprocessable')) return { ok: false, reason: 'conflict' } as const;
    // What is away comes back; what goes wrong again and again must not hold up those behind it.
    if (isAppError(error, 'unavailable') || (await edges.mergeTrains.buildFailed(carId)) < buildTries) throw error;
    logger.error({ err: error, car_id: carId, project_id: stored.projectId }, 'a car of a train cannot be built');
    return { ok: false, reason: 'build_failed' } as const;
  });
  if (built === undefined) return false;
  if (!built.ok) {
    const reason = built.reason === 'need_rebase' ? 'conflict' : built.reason;
    return edges.mergeTrains.held(stored.id, carId, onto, reason);
  }
  faultPoint('train.commits_written');
  const { newSha, treeSha, mergeCommitSha, squashCommitSha } = built.merge;
  const taken = await edges.mergeTrains.built(
    stored.id,
    carId,
    { onto, sha: newSha },
    {
      treeSha,
      mergeCommitSha,
      squashCommitSha,
      method: built.method,
      squash: built.merge.squash,
      committedAt: car.createdAt,
      facts: await factsOf(repo, newSha, parseSha(onto)),
    },
    async (tx) => {
      // The ref is made more often than moved.
      await setTrainRef(edges, { projectId: stored.projectId, iid: car.iid }, zeroSha, newSha, tx);
      faultPoint('train.ref_pointed');
    },
  );
  faultPoint('train.build_committed');
  return taken;
}

/** What is published of the push by which a car lands (D6): read here, where no caller waits for it. */
async function factsOf(repo: Repository, sha: Sha, onto: Sha) {
  const [commitCount, commit, readmePath] = await Promise.all([
    countCommits(repo, { from: [sha], not: [onto], cap: countedCommits }),
    readCommit(repo, sha),
    findReadme(repo, sha),
  ]);
  return { commitCount, commitTitle: commit?.title ?? '', readmePath };
}

async function land(
  edges: MergeTrainEdges,
  landing: Pick<Landing, 'landCars'>,
  repo: Repository,
  stored: StoredTrain,
  { carIds, from, to }: Step & { kind: 'land' },
): Promise<boolean> {
  const cars = carIds.map((id) => stored.cars.get(id)!);
  const checked = await Promise.all(cars.map((car) => mayLandNow(edges, stored, car)));
  if (checked.includes('later')) return false;
  const refused = checked.flatMap((reason, at) =>
    reason === 'yes' || reason === 'later' ? [] : [{ car: cars[at] as StoredCar, reason }],
  );
  if (refused.length > 0) {
    const removed: boolean[] = [];
    for (const { car, reason } of refused) {
      removed.push(await removeCar(edges, car, { kind: 'removed', carId: car.id, reason }));
    }
    return removed.includes(true);
  }
  const builds = new Map(stored.train.cars.map(({ id, build: own }) => [id, own]));
  const plans = cars.map((car) => ({
    mergeRequestId: car.mergeRequestId,
    projectId: stored.projectId,
    targetBranch: stored.targetBranch,
    oldSha: builds.get(car.id)?.onto ?? from,
    newSha: builds.get(car.id)?.sha ?? to,
    movesFrom: from,
    movesTo: to,
    treeSha: car.treeSha,
    sourceSha: car.sourceSha,
    mergeCommitSha: car.mergeCommitSha,
    squashCommitSha: car.squashCommitSha,
    actorId: car.userId,
    removeSourceBranch: car.removeSourceBranch,
    method: car.method,
    squash: car.squash,
    carId: car.id,
  }));
  return landing.landCars(repo, plans, factsOfAll(cars));
}

/** Whether a car may land now; else why it leaves, or `later` while a push to it has not been followed. */
async function mayLandNow(
  edges: MergeTrainEdges,
  stored: StoredTrain,
  car: StoredCar,
): Promise<'yes' | 'later' | RemovalReason> {
  const [pushed, view, lost] = await Promise.all([
    edges.mergeTrains.isBeingPushed(car),
    edges.mergeRequests.view({ id: car.mergeRequestId }).then((seen) => seen && withCurrentThreads(edges, seen)),
    reasonIfRightLost(edges, stored, car.userId),
  ]);
  // A push that the merge request has not followed yet removes the car soon.
  if (view === undefined || pushed) return 'later';
  const reason = stateFailure(checksOf(view), edges.clock()) === undefined ? lost : 'not_mergeable';
  return reason !== undefined && view.mergeRequest.state === 'opened' ? reason : 'yes';
}

/** What is published of the one push by which cars land. */
function factsOfAll(cars: readonly StoredCar[]): PushedFacts | undefined {
  const last = cars.at(-1)?.facts;
  if (last === undefined || cars.some(({ facts }) => facts === undefined)) return undefined;
  return { ...last, commitCount: cars.reduce((sum, { facts }) => sum + (facts?.commitCount ?? 0), 0) };
}

/**
 * The job that removes a car's ref once the car has landed or was removed (G-3-2); a merge request that joined again
 * keeps it.
 */
export const dropTrainRef =
  (edges: MergeTrainEdges) =>
  async (projectId: number, iid: number, sha: string | undefined): Promise<void> => {
    const { repo } = await edges.openRepository(projectId);
    const ref = mergeRequestRef(iid, 'train');
    await edges.mergeTrains.whileNotQueued(projectId, iid, async (tx) => {
      const old = sha === undefined ? (await readRefs(repo, [ref])).get(ref)?.sha : parseSha(sha);
      if (old !== undefined) await setTrainRef(edges, { projectId, iid }, old, zeroSha, tx);
    });
    faultPoint('train.ref_dropped');
  };
