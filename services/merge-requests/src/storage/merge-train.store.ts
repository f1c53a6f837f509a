import { type Database, type SqlExecutor, sql, type Tx } from '@switchyard/database';
import { mergeTrainColumns } from '@switchyard/directory';
import { AppError } from '@switchyard/errors';
import { onMergeTrain } from '../domain/auto-merge';
import type { MergeRequest } from '../domain/merge-request';
import type {
  Boarding,
  JobRequest,
  MergePlan,
  MergeRequestChange,
  MergeRequestFact,
  MergeRequestPatch,
} from '../domain/merge-request-change';
import {
  type Car,
  type CarStatus,
  type NamedStatus,
  type Outcome,
  type Signal,
  type Train,
  transition,
  type Verdict,
  verdictOf,
} from '../domain/merge-train';
import type { PushFacts } from '../domain/ref-change';
import { enqueueJobs } from './job.store';
import { cancelPipelines, insertPipeline } from './pipeline.store';

/** A car as it is stored: what the train knows of it, and what building and landing it needs. */
export interface StoredCar {
  readonly id: number;
  readonly mergeRequestId: number;
  readonly iid: number;
  /** Who put it on the train, and in whose name it lands. */
  readonly userId: number;
  readonly sourceSha: string;
  readonly squash: boolean;
  readonly removeSourceBranch: boolean;
  readonly mergeCommitMessage: string | undefined;
  readonly squashCommitMessage: string | undefined;
  readonly treeSha: string | undefined;
  readonly mergeCommitSha: string | undefined;
  readonly squashCommitSha: string | undefined;
  readonly pipelineId: number | undefined;
  /** When its pipeline was opened. */
  readonly builtAt: Date | undefined;
  /** What its landing will tell; undefined until it is built. */
  readonly facts: PushedFacts | undefined;
  readonly createdAt: Date;
}

type PushedFacts = Pick<PushFacts, 'commitCount' | 'commitTitle' | 'readmePath'>;

/** A train as it is stored. */
export interface StoredTrain {
  readonly id: number;
  readonly projectId: number;
  readonly targetBranch: string;
  /** The train without what its pipelines report. */
  readonly train: Train;
  readonly cars: ReadonlyMap<number, StoredCar>;
  /** What the pipelines of its cars report now, as signals. */
  readonly reports: readonly Signal[];
  /** Moves of the target branch that were reported, when they are more than it has looked at. */
  readonly unseenMoves: number | undefined;
  /** The project runs trains, and lives. */
  readonly running: boolean;
  /** Minutes a pipeline has. */
  readonly timeoutMinutes: number;
}

/** What was written for a car that was built. */
export interface BuiltCar {
  readonly treeSha: string;
  readonly mergeCommitSha: string | undefined;
  readonly squashCommitSha: string | undefined;
  readonly method: string;
  readonly committedAt: Date;
  readonly facts: PushedFacts;
}

const active = sql`('idle', 'stale', 'fresh', 'merging')`;

interface CarRow {
  id: number;
  merge_request_id: number;
  iid: number;
  user_id: number;
  status: CarStatus;
  source_sha: string;
  squash: boolean;
  remove_source_branch: boolean;
  merge_commit_message: string | null;
  squash_commit_message: string | null;
  onto_sha: string | null;
  sha: string | null;
  tree_sha: string | null;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
  pipeline_id: number | null;
  built_at: Date | null;
  commit_count: number | null;
  commit_title: string | null;
  readme_path: string | null;
  created_at: Date;
  pipeline_status: string | null;
  names: NamedStatus[] | null;
}

interface TrainRow {
  id: number;
  project_id: number;
  target_branch: string;
  base_sha: string | null;
  target_moves: number;
  target_seen: number;
  merge_trains_enabled: boolean;
  merge_train_required_statuses: string[];
  merge_train_timeout: number;
  merge_train_parallel_cars: number;
  allow_merge_on_skipped_pipeline: boolean;
  archived: boolean;
  alive: boolean | null;
}

const toCar = (row: CarRow): Car => ({
  id: row.id,
  status: row.status,
  build:
    row.sha === null || row.onto_sha === null
      ? undefined
      : { onto: row.onto_sha, sha: row.sha, pipelineId: row.pipeline_id ?? undefined, verdict: 'pending' },
});

const toStoredCar = (row: CarRow): StoredCar => ({
  id: row.id,
  mergeRequestId: row.merge_request_id,
  iid: row.iid,
  userId: row.user_id,
  sourceSha: row.source_sha,
  squash: row.squash,
  removeSourceBranch: row.remove_source_branch,
  mergeCommitMessage: row.merge_commit_message ?? undefined,
  squashCommitMessage: row.squash_commit_message ?? undefined,
  treeSha: row.tree_sha ?? undefined,
  mergeCommitSha: row.merge_commit_sha ?? undefined,
  squashCommitSha: row.squash_commit_sha ?? undefined,
  pipelineId: row.pipeline_id ?? undefined,
  builtAt: row.built_at ?? undefined,
  facts:
    row.commit_count === null
      ? undefined
      : {
          commitCount: row.commit_count,
          commitTitle: row.commit_title ?? '',
          readmePath: row.readme_path ?? undefined,
        },
  createdAt: row.created_at,
});

function reportOf(row: CarRow, train: TrainRow): Signal[] {
  if (row.sha === null) return [];
  if (row.pipeline_id === null) return [{ kind: 'pipeline_lost', carId: row.id }];
  const verdict: Verdict = verdictOf(
    row.pipeline_status ?? 'pending',
    row.names ?? [],
    train.merge_train_required_statuses,
    train.allow_merge_on_skipped_pipeline,
  );
  return verdict === 'pending' ? [] : [{ kind: 'reported', carId: row.id, pipelineId: row.pipeline_id, verdict }];
}

/** A train of a project that lives, and its cars that have not landed; the work does not grow with those that have. */
async function load(db: SqlExecutor, trainId: number, lock: boolean): Promise<StoredTrain | undefined> {
  const [row] = await db.query<TrainRow & Record<string, unknown>>(sql`
    select t.id, t.project_id, t.target_branch, t.base_sha, t.target_moves, t.target_seen, ${mergeTrainColumns},
      p.allow_merge_on_skipped_pipeline, p.archived, p.deleted_at is null as alive
    from merge_trains t
    left join (directory.projects p join directory.namespaces n on n.id = p.namespace_id) on p.id = t.project_id
    where t.id = ${trainId} ${lock ? sql`for update of t` : sql``}`);
  if (row === undefined || row.alive !== true) return undefined;
  const required = row.merge_train_required_statuses;
  const rows = await db.query<CarRow & Record<string, unknown>>(sql`
    select c.id, c.merge_request_id, mr.iid, c.user_id, c.status, c.source_sha, c.squash, c.remove_source_branch,
      c.merge_commit_message, c.squash_commit_message, c.onto_sha, c.sha, c.tree_sha, c.merge_commit_sha, c.squash_commit_sha,
      c.pipeline_id, c.built_at, c.commit_count, c.commit_title, c.readme_path, c.created_at, pl.status as pipeline_status,
      ${
        required.length === 0
          ? sql`null`
          : sql`(select json_agg(json_build_object('name', cs.name, 'status', cs.status, 'allowFailure', cs.allow_failure))
              from commit_statuses cs where cs.pipeline_id = c.pipeline_id and not cs.retried and cs.name = any(${required}::text[]))`
      } as names
    from merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id left join pipelines pl on pl.id = c.pipeline_id
    where c.train_id = ${trainId} and c.status in ${active} order by c.id`);
  return {
    id: row.id,
    projectId: row.project_id,
    targetBranch: row.target_branch,
    train: {
      base: row.base_sha ?? undefined,
      parallel: row.merge_train_parallel_cars,
      cars: rows.map(toCar),
    },
    cars: new Map(rows.map((car) => [car.id, toStoredCar(car)])),
    reports: rows.flatMap((car) => reportOf(car, row)),
    unseenMoves: row.target_moves === row.target_seen ? undefined : row.target_moves,
    running: row.merge_trains_enabled && !row.archived,
    timeoutMinutes: row.merge_train_timeout,
  };
}

/** Saves how the train has changed: one statement per kind of change, whatever the number of cars. */
async function save(tx: Tx, stored: StoredTrain, { train, steps, events }: Outcome, built?: BuiltCar): Promise<void> {
  const before = new Map(stored.train.cars.map((car) => [car.id, car]));
  if (train.base !== stored.train.base) {
    await tx.query(sql`
      update merge_trains set base_sha = ${train.base ?? null}, updated_at = now() where id = ${stored.id}`);
  }
  const removed = events.flatMap((event) => (event.kind === 'removed' ? event.carId : []));
  if (removed.length > 0) await tx.query(sql`delete from merge_train_cars where id = any(${removed}::bigint[])`);
  const changed = train.cars.filter((car) => before.has(car.id) && before.get(car.id) !== car);
  const stale = changed.filter(({ build }) => build === undefined).map(({ id }) => id);
  if (stale.length > 0) {
    await tx.query(sql`
      update merge_train_cars set status = 'stale', onto_sha = null, sha = null, tree_sha = null, merge_commit_sha = null,
        squash_commit_sha = null, method = null, pipeline_id = null, built_at = null, commit_count = null, commit_title = null,
        readme_path = null, updated_at = now()
      where id = any(${stale}::bigint[])`);
  }
  for (const car of changed) {
    const was = before.get(car.id);
    if (car.build === undefined || (was?.build?.sha === car.build.sha && was.status === car.status)) continue;
    if (was?.build === undefined && built !== undefined) {
      await tx.query(sql`
        update merge_train_cars set status = ${car.status}, onto_sha = ${car.build.onto}, sha = ${car.build.sha},
          tree_sha = ${built.treeSha}, merge_commit_sha = ${built.mergeCommitSha ?? null},
          squash_commit_sha = ${built.squashCommitSha ?? null}, method = ${built.method}, built_at = now(),
          commit_count = ${built.facts.commitCount}, commit_title = ${built.facts.commitTitle},
          readme_path = ${built.facts.readmePath ?? null}, updated_at = now()
        where id = ${car.id}`);
    } else {
      await tx.query(sql`update merge_train_cars set status = ${car.status}, updated_at = now() where id = ${car.id}`);
    }
  }
  await cancelPipelines(
    tx,
    steps.flatMap((step) => (step.kind === 'cancel_pipeline' ? step.pipelineId : [])),
  );
}

/** Folds signals into a locked train and saves what comes of them; undefined when they change nothing. */
async function signalled(
  tx: Tx,
  stored: StoredTrain,
  signals: readonly Signal[],
  built?: BuiltCar,
): Promise<Outcome | undefined> {
  let { train } = stored;
  const steps: Outcome['steps'][number][] = [];
  const events: Outcome['events'][number][] = [];
  for (const signal of signals) {
    const next = transition(train, signal);
    if (next.train === train) continue;
    train = next.train;
    steps.push(...next.steps);
    events.push(...next.events);
  }
  if (train === stored.train) return undefined;
  const result: Outcome = { train, steps, events };
  await save(tx, stored, result, built);
  return result;
}

/** What follows for one merge request. */
interface Consequences {
  readonly patch?: MergeRequestPatch;
  readonly facts: readonly MergeRequestFact[];
  readonly jobs: readonly JobRequest[];
}

async function openTrain(tx: Tx, projectId: number, targetBranch: string): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    insert into merge_trains (project_id, target_branch) values (${projectId}, ${targetBranch})
    on conflict (project_id, target_branch) do update set updated_at = now() returning id`);
  return row!.id;
}

async function board(tx: Tx, mr: MergeRequest, boarding: Boarding, actorId: number): Promise<Consequences> {
  const trainId = await openTrain(tx, mr.projectId, mr.targetBranch);
  const stored = (await load(tx, trainId, true))!;
  const car = await tx.one<{ id: number }>(sql`
    insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash,
      remove_source_branch, merge_commit_message, squash_commit_message)
    values (${trainId}, ${mr.projectId}, ${mr.targetBranch}, ${mr.id}, ${actorId}, ${boarding.sourceSha}, ${boarding.squash},
      ${boarding.removeSourceBranch}, ${boarding.mergeCommitMessage ?? null}, ${boarding.squashCommitMessage ?? null})
    returning id`);
  const entryId = car!.id;
  // A train that was empty knows nothing of where its branch stands now.
  if (stored.train.cars.length === 0) {
    await tx.query(sql`update merge_trains set base_sha = null where id = ${trainId}`);
  }
  const { events } = transition(stored.train, { kind: 'boarded', carId: entryId });
  return {
    facts: events.flatMap((event) =>
      event.kind === 'added'
        ? { kind: 'train_entry_added', entryId, targetBranch: mr.targetBranch, position: event.position }
        : [],
    ),
    jobs: [{ kind: 'merge_train', trainId }],
  };
}

/** The train a merge request is on, and its car there. */
async function carOf(tx: Tx, mergeRequestId: number): Promise<{ id: number; trainId: number } | undefined> {
  return tx.one(sql`
    select id, train_id as "trainId" from merge_train_cars where merge_request_id = ${mergeRequestId} and status in ${active}`);
}

const builtAs = ({ cars }: Train, carId: number): string | undefined => cars.find(({ id }) => id === carId)?.build?.sha;

async function signalCar(
  tx: Tx,
  mr: MergeRequest,
  signal: Signal | ((carId: number) => Signal),
): Promise<Consequences | undefined> {
  const found = await carOf(tx, mr.id);
  const stored = found && (await load(tx, found.trainId, true));
  if (found === undefined || stored === undefined) return undefined;
  const given = typeof signal === 'function' ? signal(found.id) : signal;
  // What the train does not know by itself: whether the tested commit is green at this very moment.
  const known =
    given.kind === 'landing_begun'
      ? stored.reports.filter((one) => one.kind === 'reported' && one.carId === found.id && one.verdict === 'green')
      : [];
  const result = await signalled(tx, stored, [...known, given]);
  if (result === undefined) return undefined;
  if (given.kind === 'landing_begun' && result.train.cars[0]?.status !== 'merging') return undefined;
  const car = stored.cars.get(found.id)!;
  const facts = result.events.flatMap((event): MergeRequestFact[] =>
    event.kind === 'removed' && event.carId === car.id
      ? [
          {
            kind: 'train_entry_removed',
            entryId: car.id,
            targetBranch: stored.targetBranch,
            addedById: car.userId,
            reason: event.reason,
            pipelineId: event.pipelineId,
          },
        ]
      : [],
  );
  const left = facts.length > 0;
  return {
    // While it was aboard nobody else checked it.
    ...(left ? { patch: { mergeStatus: 'unchecked', mergeStatusGeneration: mr.mergeStatusGeneration + 1 } } : {}),
    facts,
    jobs:
      given.kind === 'landing_begun'
        ? []
        : [
            { kind: 'merge_train', trainId: stored.id },
            ...(left
              ? ([
                  { kind: 'train_ref', projectId: mr.projectId, iid: mr.iid, sha: builtAs(stored.train, car.id) },
                  { kind: 'mergeability', projectId: mr.projectId },
                ] as const)
              : []),
          ],
  };
}

/** Ends the car of a landing, or records the one that skipped the train, and writes the receipt. */
async function recordLanding(
  tx: Tx,
  mr: MergeRequest,
  plan: MergePlan,
  now: Date,
): Promise<readonly JobRequest[] | undefined> {
  // The plan was read without a lock: by now another try may have taken its place.
  const current = await tx.query(sql`
    select 1 from merge_request_merges where merge_request_id = ${mr.id} and new_sha = ${plan.newSha}`);
  if (current.length === 0) return undefined;
  let carId = plan.carId;
  let trainId: number;
  if (carId !== undefined) {
    const row = await tx.one<{ trainId: number }>(sql`
      select train_id as "trainId" from merge_train_cars where id = ${carId}`);
    const stored = row && (await load(tx, row.trainId, true));
    const result = stored && (await signalled(tx, stored, [{ kind: 'landed', carId, sha: plan.newSha }]));
    if (stored === undefined || result === undefined) return undefined;
    trainId = stored.id;
    await tx.query(sql`
      update merge_train_cars set status = 'merged', merged_at = ${now}, updated_at = now(),
        duration = greatest(0, floor(extract(epoch from ${now}::timestamptz - created_at)))::int
      where id = ${carId}`);
  } else if (plan.skipsTrain) {
    trainId = await openTrain(tx, mr.projectId, plan.targetBranch);
    const row = await tx.one<{ id: number }>(sql`
      insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, status, source_sha, squash,
        remove_source_branch, onto_sha, sha, tree_sha, merge_commit_sha, squash_commit_sha, method, created_at, merged_at, duration)
      select ${trainId}, ${mr.projectId}, ${plan.targetBranch}, ${mr.id}, ${plan.actorId}, 'skip_merged', ${plan.sourceSha},
        ${plan.squashCommitSha !== undefined}, ${plan.removeSourceBranch}, ${plan.oldSha}, ${plan.newSha}, ${plan.treeSha ?? null},
        ${plan.mergeCommitSha ?? null}, ${plan.squashCommitSha ?? null}, p.merge_method, ${plan.createdAt}, ${now},
        greatest(0, floor(extract(epoch from ${now}::timestamptz - ${plan.createdAt}::timestamptz)))::int
      from directory.projects p where p.id = ${mr.projectId}
      returning id`);
    if (row === undefined) return [];
    carId = row.id;
  } else return [];
  await writeReceipt(tx, mr, carId, now);
  return [
    { kind: 'merge_train', trainId },
    { kind: 'train_ref', projectId: mr.projectId, iid: mr.iid, sha: plan.newSha },
  ];
}

async function writeReceipt(tx: Tx, mr: MergeRequest, carId: number, now: Date): Promise<void> {
  await tx.query(sql`
    insert into landing_receipts (project_id, merge_request_id, merge_request_iid, car_id, target_branch, method, squash, head_sha,
      base_sha, tested_sha, tested_tree, pipeline_id, pipeline_status, statuses, required_statuses, landed_sha, landed_tree,
      merge_commit_sha, squash_commit_sha, added_by_id, boarded_at, built_at, tested_at, landed_at)
    select c.project_id, c.merge_request_id, ${mr.iid}, c.id, c.target_branch, c.method, c.squash, c.source_sha, c.onto_sha,
      case when c.status = 'merged' then c.sha end, case when c.status = 'merged' then c.tree_sha end, c.pipeline_id, pl.status,
      coalesce((select jsonb_agg(jsonb_build_object('id', cs.id, 'name', cs.name, 'status', cs.status,
          'allow_failure', cs.allow_failure, 'finished_at', cs.finished_at) order by cs.id)
        from commit_statuses cs where cs.pipeline_id = c.pipeline_id and not cs.retried), '[]'),
      coalesce(p.merge_train_required_statuses, '{}'), c.sha, c.tree_sha, c.merge_commit_sha, c.squash_commit_sha, c.user_id,
      c.created_at, c.built_at, pl.finished_at, ${now}
    from merge_train_cars c left join pipelines pl on pl.id = c.pipeline_id left join directory.projects p on p.id = c.project_id
    where c.id = ${carId}`);
}

/**
 * The part of a merge request's change that concerns its train, in the transaction of the change, whose row is locked first.
 * @returns undefined when the signal, or the result of a landing, came too late, which voids the change
 * @throws AppError not_acceptable when a car shall leave that is being merged (D8)
 */
export async function changeTrain(
  tx: Tx,
  mr: MergeRequest,
  change: MergeRequestChange,
  actorId: number,
  now: Date,
): Promise<Consequences | undefined> {
  const { boards, leaves, signal, landed } = change;
  if (signal !== undefined) return signalCar(tx, mr, signal);
  if (landed !== undefined) {
    const jobs = await recordLanding(tx, mr, landed, now);
    return jobs && { facts: [], jobs };
  }
  if (boards !== undefined) return board(tx, mr, boards, actorId);
  if (leaves === undefined || mr.autoMergeStrategy !== onMergeTrain) return { facts: [], jobs: [] };
  const left = await signalCar(tx, mr, (carId) => ({ kind: 'left', carId, reason: leaves }));
  if (left === undefined) throw new AppError('not_acceptable', 'The merge request is being merged');
  return left;
}

/** The tables of merge trains. Every change goes through the state machine under the lock of the train's row. */
export const mergeTrainStore = (db: Database) => ({
  /** A train with its cars and what their pipelines report; undefined when there is none. */
  load: (trainId: number): Promise<StoredTrain | undefined> => load(db, trainId, false),

  /** A target branch was moved to `sha`: its train, if it has cars and did not do that itself, looks where the branch stands. */
  async targetMoved(projectId: number, targetBranch: string, sha: string): Promise<void> {
    await db.transaction(async (tx) => {
      const row = await tx.one<{ id: number }>(sql`
        update merge_trains t set target_moves = target_moves + 1
        where t.project_id = ${projectId} and t.target_branch = ${targetBranch} and t.base_sha is distinct from ${sha}
          and exists (select 1 from merge_train_cars c where c.train_id = t.id and c.status in ${active})
        returning id`);
      if (row !== undefined) await enqueueJobs(tx, [{ kind: 'merge_train', trainId: row.id }]);
    });
  },

  /**
   * The target branch was looked at, after `moves` of it had been reported. A branch that is gone is not told here: its cars leave one
   * by one.
   */
  targetRead: (trainId: number, sha: string, moves: number | undefined): Promise<void> =>
    db.transaction(async (tx) => {
      const stored = await load(tx, trainId, true);
      if (stored !== undefined) await signalled(tx, stored, [{ kind: 'target_read', sha }]);
      if (moves !== undefined) {
        await tx.query(sql`
          update merge_trains set target_seen = greatest(target_seen, ${moves}::bigint) where id = ${trainId}`);
      }
    }),

  /** A car's pipeline was deleted: the car is built anew. */
  pipelineLost: (trainId: number, carId: number): Promise<void> =>
    db.transaction(async (tx) => {
      const stored = await load(tx, trainId, true);
      if (stored === undefined || stored.cars.get(carId)?.pipelineId !== undefined) return;
      await signalled(tx, stored, [{ kind: 'pipeline_lost', carId }]);
    }),

  /**
   * A car was built: points its ref at the commit and opens its pipeline, unless the train has changed since. `pointRef` runs under the
   * lock of the train: a worker that comes late would otherwise point the ref at a commit that is tested no more.
   * @returns whether the build was taken
   */
  built: (
    trainId: number,
    carId: number,
    build: { onto: string; sha: string },
    written: BuiltCar,
    pointRef: () => Promise<void>,
  ): Promise<boolean> =>
    db.transaction(async (tx) => {
      const stored = await load(tx, trainId, true);
      if (stored === undefined) return false;
      const result = await signalled(tx, stored, [{ kind: 'built', carId, ...build }], written);
      const car = stored.cars.get(carId);
      if (result === undefined || car === undefined) return false;
      const pipeline = await insertPipeline(tx, {
        projectId: stored.projectId,
        sha: build.sha,
        ref: `refs/merge-requests/${car.iid}/train`,
        tag: false,
        source: 'merge_request_event',
        userId: car.userId,
        mergeRequestId: car.mergeRequestId,
        committedAt: written.committedAt,
        status: 'pending',
      });
      await tx.query(sql`update merge_train_cars set pipeline_id = ${pipeline.id} where id = ${carId}`);
      await pointRef();
      return true;
    }),

  /** Trains with cars. */
  async running(): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select distinct train_id as id from merge_train_cars where status in ${active} order by 1`);
    return rows.map(({ id }) => id);
  },

  /** Runs `work` while the merge request is on no train and cannot board one; not at all while it is on one. */
  async whileAshore(projectId: number, iid: number, work: () => Promise<void>): Promise<void> {
    await db.transaction(async (tx) => {
      const mr = await tx.one<{ id: number }>(sql`
        select id from merge_requests where project_id = ${projectId} and iid = ${iid} for no key update`);
      if (mr === undefined || (await carOf(tx, mr.id)) === undefined) await work();
    });
  },
});

/** What `mergeTrainStore` gives. */
export type MergeTrainStore = ReturnType<typeof mergeTrainStore>;
