import { isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { onMergeTrain } from '../domain/auto-merge';
import { stateFailure } from '../domain/detailed-merge-status';
import type { ProjectMergeSettings } from '../domain/merge-request';
import { checksOf } from '../domain/merge-request-view';
import { type LeaveReason, type Signal, type Step, type Train, transition } from '../domain/merge-train';
import {
  mergeRequestRef,
  parseBranchName,
  parseSha,
  RefMovedError,
  type Repository,
  readCommit,
  readRefs,
  type Sha,
  updateRefs,
  zeroSha,
} from '../git';
import type { StoredCar, StoredTrain } from '../storage/merge-train.store';
import { type BuiltMerge, buildMerge, type MergeRefusal } from './build-merge';
import { readHeads } from './compare-branches';
import type { Landing } from './land-merge-request';
import type { MergeRequestEdges } from './merge-request.edges';
import { mayMergeInto } from './merge-right';
import { noAutoMerge } from './update-merge-request';

faultPoints.push(
  'train.commits_written',
  'train.ref_pointed',
  'train.build_committed',
  'train.left',
  'train.ref_dropped',
);

type TrainSettings = ProjectMergeSettings['mergeTrains'];

/** What the train has come to by what its pipelines report and what the clock says. */
interface Look {
  /** Signals that make a car leave. */
  readonly leaving: readonly (Signal & { readonly carId: number })[];
  readonly train: Train;
  readonly steps: readonly Step[];
}

/** A train as it is, with the reports of its pipelines taken in. */
function look(stored: StoredTrain, { timeoutMinutes }: TrainSettings, now: Date): Look {
  const late = now.getTime() - timeoutMinutes * 60_000;
  const timeouts = [...stored.cars.values()].flatMap(({ id, pipelineId, builtAt }): Signal[] =>
    pipelineId !== undefined && builtAt !== undefined && builtAt.getTime() <= late
      ? [{ kind: 'timed_out', carId: id, pipelineId }]
      : [],
  );
  let { train } = stored;
  const leaving: (Signal & { carId: number })[] = [];
  for (const signal of [...stored.reports, ...timeouts]) {
    const next = transition(train, signal);
    if (next.events.some(({ kind }) => kind === 'removed') && 'carId' in signal) leaving.push(signal);
    train = next.train;
  }
  return { leaving, train, steps: transition(train, { kind: 'resumed' }).steps };
}

/**
 * The job of a train (D8): looks at it, does what is to be done, and looks again until nothing is. Every outcome goes to the state
 * machine as a signal under the lock of the train, which passes over what is not current any more; so two workers at once, or one that
 * died half-way, cost work and nothing else.
 */
export const runMergeTrain =
  (edges: MergeRequestEdges, landing: Pick<Landing, 'landCar' | 'settle'>) =>
  async (trainId: number): Promise<void> => {
    const { mergeTrains } = edges;
    const first = await mergeTrains.load(trainId);
    if (first === undefined || first.cars.size === 0) return;
    const project = await edges.directory.project(first.projectId);
    if (project === undefined) return;
    const settings = project.settings.mergeTrains;
    const { repo } = await edges.openRepository(first.projectId);
    if (settings.enabled && !project.archived) await dismissGone(edges, first);
    else {
      for (const car of first.cars.values()) {
        await leave(edges, car, { kind: 'left', carId: car.id, reason: 'trains_disabled' });
      }
    }
    for (;;) {
      const stored = await mergeTrains.load(trainId);
      if (stored === undefined || stored.cars.size === 0) return;
      if (!(await once(edges, landing, repo, stored, settings))) return;
    }
  };

/** One look and what follows from it. False when there was nothing to do, or when what was done led nowhere. */
async function once(
  edges: MergeRequestEdges,
  landing: Pick<Landing, 'landCar' | 'settle'>,
  repo: Repository,
  stored: StoredTrain,
  settings: TrainSettings,
): Promise<boolean> {
  if (stored.unseenMoves !== undefined) return readTarget(edges, repo, stored);
  const { leaving, steps } = look(stored, settings, edges.clock());
  if (leaving.length > 0) {
    for (const signal of leaving) await follow(edges, stored, signal);
    return true;
  }
  // The first car lands while one behind is built: neither makes the other's outcome void.
  const done = await Promise.all(
    steps.map((step) => {
      switch (step.kind) {
        case 'read_target':
          return readTarget(edges, repo, stored);
        case 'build':
          return build(edges, repo, stored, step);
        case 'land':
          return land(edges, landing, stored, step);
        case 'settle':
          return landing.settle(stored.cars.get(step.carId)!.mergeRequestId).then(() => true);
        default:
          return Promise.resolve(false);
      }
    }),
  );
  return done.includes(true);
}

async function follow(
  edges: MergeRequestEdges,
  stored: StoredTrain,
  signal: Signal & { carId: number },
): Promise<void> {
  const car = stored.cars.get(signal.carId);
  if (car === undefined) return;
  if (signal.kind === 'pipeline_lost') await edges.mergeTrains.pipelineLost(stored.id, car.id);
  else await leave(edges, car, signal);
}

/** Takes a car off its train by a signal that makes it leave; a car that is being merged stays. */
async function leave(edges: MergeRequestEdges, car: StoredCar, signal: Signal): Promise<void> {
  await edges.mergeRequests
    .change(car.mergeRequestId, 0, ({ mergeRequest }) =>
      mergeRequest.state === 'opened' && mergeRequest.autoMergeStrategy === onMergeTrain
        ? { patch: noAutoMerge, signal }
        : undefined,
    )
    .catch((error: unknown) => {
      // Deleted meanwhile, and its car with it.
      if (!isAppError(error, 'not_found')) throw error;
    });
  faultPoint('train.left');
}

/** Takes off the cars of users who are gone or may not merge any more. */
async function dismissGone(edges: MergeRequestEdges, stored: StoredTrain): Promise<void> {
  const reasons = new Map<number, LeaveReason | undefined>();
  for (const { userId } of stored.cars.values()) {
    if (!reasons.has(userId)) reasons.set(userId, await lostRight(edges, stored, userId));
  }
  for (const car of stored.cars.values()) {
    const reason = reasons.get(car.userId);
    if (reason !== undefined) await leave(edges, car, { kind: 'left', carId: car.id, reason });
  }
}

async function lostRight(
  edges: MergeRequestEdges,
  { projectId, targetBranch }: StoredTrain,
  userId: number,
): Promise<LeaveReason | undefined> {
  const standing = await edges.directory.standing(userId, projectId);
  if (standing.gone) return 'user_gone';
  return (await mayMergeInto(edges, projectId, targetBranch, standing)) ? undefined : 'right_lost';
}

async function readTarget(edges: MergeRequestEdges, repo: Repository, stored: StoredTrain): Promise<boolean> {
  const branch = parseBranchName(stored.targetBranch);
  const head = (await readHeads(repo, [branch])).get(branch);
  if (head !== undefined) {
    await edges.mergeTrains.targetRead(stored.id, head, stored.unseenMoves);
    return true;
  }
  for (const car of stored.cars.values()) {
    await leave(edges, car, { kind: 'left', carId: car.id, reason: 'target_branch_deleted' });
  }
  return false;
}

/** Points the ref that CI fetches at a commit; false when another worker did so first. */
async function pointTrainRef(repo: Repository, iid: number, sha: Sha): Promise<boolean> {
  const ref = mergeRequestRef(iid, 'train');
  // It is made more often than moved, so the first try says that it is not there.
  let old: Sha = zeroSha;
  for (let tried = 0; tried < 2; tried += 1) {
    try {
      await updateRefs(repo, [{ ref, old, new: sha }]);
      return true;
    } catch (error) {
      if (!(error instanceof RefMovedError)) throw error;
      if (error.actual === sha) return true;
      old = error.actual;
    }
  }
  return false;
}

type Built = { readonly ok: true; readonly merge: BuiltMerge; readonly method: string };

async function buildCommits(
  edges: MergeRequestEdges,
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
  edges: MergeRequestEdges,
  repo: Repository,
  stored: StoredTrain,
  { carId, onto }: Step & { kind: 'build' },
): Promise<boolean> {
  const car = stored.cars.get(carId)!;
  const ahead = stored.train.cars.find(({ build: other }) => other?.sha === onto);
  const tipTree = ahead && stored.cars.get(ahead.id)?.treeSha;
  const built = await buildCommits(edges, repo, car, parseSha(onto), tipTree).catch((error: unknown) => {
    // No common history to squash from.
    if (isAppError(error, 'unprocessable')) return { ok: false, reason: 'conflict' } as const;
    throw error;
  });
  if (built === undefined) return false;
  if (!built.ok) {
    const reason = built.reason === 'no_changes' ? 'no_changes' : 'conflict';
    await leave(edges, car, { kind: 'not_buildable', carId, onto, reason });
    return true;
  }
  faultPoint('train.commits_written');
  const { newSha, treeSha, mergeCommitSha, squashCommitSha } = built.merge;
  if (!(await pointTrainRef(repo, car.iid, newSha))) return false;
  faultPoint('train.ref_pointed');
  const taken = await edges.mergeTrains.built(
    stored.id,
    carId,
    { onto, sha: newSha },
    { treeSha, mergeCommitSha, squashCommitSha, method: built.method, committedAt: car.createdAt },
  );
  faultPoint('train.build_committed');
  return taken;
}

async function land(
  edges: MergeRequestEdges,
  landing: Pick<Landing, 'landCar'>,
  stored: StoredTrain,
  { carId, from, to }: Step & { kind: 'land' },
): Promise<boolean> {
  const car = stored.cars.get(carId)!;
  const view = await edges.mergeRequests.view({ id: car.mergeRequestId });
  if (view === undefined) return false;
  const reason =
    stateFailure(checksOf(view), edges.clock()) === undefined
      ? await lostRight(edges, stored, car.userId)
      : 'not_mergeable';
  if (reason !== undefined && view.mergeRequest.state === 'opened') {
    await leave(edges, car, { kind: 'left', carId, reason });
    return true;
  }
  await landing.landCar({
    mergeRequestId: car.mergeRequestId,
    projectId: stored.projectId,
    targetBranch: stored.targetBranch,
    oldSha: from,
    newSha: to,
    treeSha: car.treeSha,
    sourceSha: car.sourceSha,
    mergeCommitSha: car.mergeCommitSha,
    squashCommitSha: car.squashCommitSha,
    actorId: car.userId,
    removeSourceBranch: car.removeSourceBranch,
    carId,
  });
  return true;
}

/** The job that removes a car's ref once the car has landed or left (G-3-2); one that boarded again keeps it. */
export const dropTrainRef =
  (edges: MergeRequestEdges) =>
  async (projectId: number, iid: number): Promise<void> => {
    if (await edges.mergeTrains.isAboard(projectId, iid)) return;
    const { repo } = await edges.openRepository(projectId);
    const ref = mergeRequestRef(iid, 'train');
    const at = (await readRefs(repo, [ref])).get(ref)?.sha;
    if (at === undefined) return;
    await updateRefs(repo, [{ ref, old: at, new: zeroSha }]);
    faultPoint('train.ref_dropped');
  };
