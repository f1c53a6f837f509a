import { type Database, isUniqueViolation, requireUnmodified, type SqlExecutor, type Tx } from '@switchyard/database';
import { empty, join, raw, type Sql, sql } from '@switchyard/database/sql';
import { joinProject, leastPriority, milestoneDue } from '@switchyard/directory';
import { type AppError, conflict, isAppError, notFound } from '@switchyard/errors';
import type { PrismaClient } from '../../generated/prisma/client';
import { nextIid } from '../../iids';
import { enqueueJobs, type JobRequest } from '../../jobs';
import { lockHead } from '../../pipelines';
import { approvalRequested, autoMergeFacts, consequencesOfCreation } from '../domain/change-consequences';
import type { MergeRequest } from '../domain/merge-request';
import type {
  DiffVersion,
  LockedMergeRequest,
  MergeRequestChange,
  MergeRequestPatch,
  NewMergeRequest,
  ReviewedMergeRequest,
  TrainConsequences,
  WantedChange,
} from '../domain/merge-request-change';
import { approvalReads, requestedApprovers, saveApprovals, withApproval } from './approval.store';
import { type ApprovalFactsRow, approvalFactsJson, toApprovalFacts } from './approval-facts';
import { mergePlanStore, savePlan } from './merge-plan.store';
import { mergeabilityStore } from './merge-request.checks';
import { patchColumns } from './merge-request.columns';
import { publishFacts, publishRefreshed } from './merge-request.events';
import { mergeRequestReads } from './merge-request.reads';
import { toMergeRequest } from './merge-request.row';
import { jobsOfWaiting, openBlocks } from './merge-request-block.store';
import { recordEvents } from './merge-request-event.store';
import { addParticipants, mergeRequestPeopleStore, replaceLabels, replacePeople } from './merge-request-people.store';
import { timelogs } from './merge-request-timelog.store';

/** What hangs on a merge request and is protected by the lock of its row. */
interface Attached {
  id: number;
  assignees: number[];
  reviewers: number[];
  labels: number[];
  newSha: string | null;
  movesTo: string | null;
}

/** What keeps it from being merged as long as others say so. */
interface Review {
  approval: ApprovalFactsRow | null;
  changesRequested: boolean;
  openBlocks: number;
}

const review = sql`,
      (select ${approvalFactsJson} from merge_requests mr ${joinProject(sql`mr.project_id`)} where mr.id = given.id) as approval,
      coalesce((select bool_or(state = 'requested_changes') from merge_request_reviewers where merge_request_id = given.id), false) as "changesRequested",
      (select ${openBlocks} from merge_requests mr where mr.id = given.id) as "openBlocks"`;

/**
 * Locks merge requests by ascending id: two transactions that lock several never wait for each other.
 * @param more what is read of each in addition, as columns with a comma before them
 */
async function lockWith<T, R extends LockedMergeRequest>(
  tx: Tx,
  ids: readonly number[],
  more: Sql,
  complete: (locked: LockedMergeRequest, row: T) => R,
): Promise<Map<number, R>> {
  const rows = await tx.query(sql`
    select * from merge_requests where id = any(${[...ids]}::bigint[]) order by id for no key update`);
  if (rows.length === 0) return new Map();
  const mergeRequests = new Map(rows.map(toMergeRequest).map((mr) => [mr.id, mr]));
  // Only after the locks are there is it what they protect.
  const attached = await tx.query<Attached & T & Record<string, unknown>>(sql`
    select given.id, array(select user_id from merge_request_assignees where merge_request_id = given.id order by created_at, user_id) as assignees,
      array(select user_id from merge_request_reviewers where merge_request_id = given.id order by created_at, user_id) as reviewers,
      array(select label_id from merge_request_labels where merge_request_id = given.id order by label_id) as labels,
      m.new_sha as "newSha", coalesce(m.moves_to, m.new_sha) as "movesTo"${more}
    from unnest(${[...mergeRequests.keys()]}::bigint[]) as given (id) left join merge_request_merges m on m.merge_request_id = given.id`);
  return new Map(
    attached.map((row): [number, R] => {
      const { id, assignees, reviewers, labels, newSha, movesTo } = row;
      const locked = {
        mergeRequest: mergeRequests.get(id)!,
        assigneeIds: assignees,
        reviewerIds: reviewers,
        labelIds: labels,
        planned: newSha === null || movesTo === null ? undefined : { newSha, movesTo },
      };
      return [id, complete(locked, row)];
    }),
  );
}

const lockAll = (tx: Tx, ids: readonly number[]): Promise<Map<number, LockedMergeRequest>> =>
  lockWith(tx, ids, empty, (locked) => locked);

const lock = async (tx: Tx, id: number): Promise<LockedMergeRequest | undefined> => (await lockAll(tx, [id])).get(id);

const lockReviewed = (tx: Tx, ids: readonly number[]): Promise<Map<number, ReviewedMergeRequest>> =>
  lockWith(tx, ids, review, (locked, { approval, changesRequested, openBlocks: blocks }: Review) => ({
    ...locked,
    approval: toApprovalFacts(approval),
    changesRequested,
    openBlocks: blocks,
  }));

/** One of several changes is void: none is made. */
class VoidChange extends Error {}

async function addDiff(tx: Tx, id: number, diff: DiffVersion): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    insert into merge_request_diffs (merge_request_id, base_sha, head_sha, start_sha, commits_count, files_count, commit_shas)
    values (${id}, ${diff.baseSha}, ${diff.headSha}, ${diff.startSha}, ${diff.commitsCount}, ${diff.filesCount},
      ${[...(diff.commitShas ?? [])]}::text[])
    on conflict (merge_request_id, head_sha, start_sha) do update set files_count = excluded.files_count returning id`);
  return row!.id;
}

async function update(
  tx: Tx,
  id: number,
  patch: MergeRequestPatch,
  quiet: boolean,
  labelIds?: readonly number[],
): Promise<MergeRequest> {
  const sets = Object.entries(patch)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => sql`${raw(patchColumns[field as keyof MergeRequestPatch])} = ${value}`);
  if (patch.milestoneId !== undefined) sets.push(sql`milestone_due = ${milestoneDue(patch.milestoneId)}`);
  if (labelIds !== undefined) sets.push(sql`label_priority = ${leastPriority(sql`${[...labelIds]}::bigint[]`)}`);
  if (!quiet && patch.updatedAt === undefined) sets.push(sql`updated_at = now()`);
  const row = await tx.one(sql`
    update merge_requests set ${join([...sets, sql`lock_version = lock_version + 1`], ', ')} where id = ${id} returning *`);
  return toMergeRequest(row!);
}

/** A new head and the newest pipeline there is of it. */
async function headOf(tx: Tx, mr: MergeRequest, sourceSha: string): Promise<MergeRequestPatch> {
  await lockHead(tx, mr.sourceProjectId, sourceSha, mr.sourceBranch);
  const pipeline = await tx.one<{ id: number }>(sql`
    select id from pipelines where project_id = ${mr.sourceProjectId} and sha = ${sourceSha} and ref = ${mr.sourceBranch} and not tag
    order by id desc limit 1`);
  return { sourceSha, headPipelineId: pipeline?.id ?? null };
}

/**
 * Makes a change of a locked merge request; undefined when it is void.
 * @param jobs receives what is to be queued once nothing else is locked any more (ADR 24)
 */
async function apply(
  tx: Tx,
  trains: TrainChanges,
  before: LockedMergeRequest,
  change: MergeRequestChange,
  actorId: number,
  jobs: JobRequest[],
): Promise<MergeRequest | undefined> {
  const { id, autoMergeUserId } = before.mergeRequest;
  const train = await trains.change(tx, before.mergeRequest, change, actorId, change.patch?.mergedAt ?? new Date());
  if (train === undefined) return undefined;
  let patch = { ...train.patch, ...change.patch };
  if (change.newHead !== undefined) patch = { ...patch, ...(await headOf(tx, before.mergeRequest, change.newHead)) };
  if (change.diff !== undefined) patch = { ...patch, latestDiffId: await addDiff(tx, id, change.diff) };
  const after = await update(tx, id, patch, change.quiet ?? false, change.labelIds);
  if (change.assigneeIds !== undefined) await replacePeople(tx, 'assignees', id, change.assigneeIds);
  if (change.reviewerIds !== undefined) await replacePeople(tx, 'reviewers', id, change.reviewerIds);
  if (change.labelIds !== undefined) await replaceLabels(tx, id, change.labelIds);
  await saveApprovals(tx, id, change);
  if (change.history) await publishRefreshed(tx, after, change.issueReferences);
  else
    await recordEvents(
      tx,
      id,
      actorId,
      { ...before.mergeRequest, labelIds: before.labelIds },
      { ...after, labelIds: change.labelIds ?? before.labelIds },
    );
  if (change.plan !== undefined) await savePlan(tx, id, change.plan);
  await addParticipants(tx, id, change.participants ?? []);
  await timelogs.record(tx, id, actorId, change.timelogs ?? []);
  const { removedTimelogId } = change;
  if (removedTimelogId !== undefined && !(await timelogs.remove(tx, id, removedTimelogId))) throw notFound();
  const own = await withApproval(tx, after, change.facts ?? []);
  const facts = [...own, ...autoMergeFacts(before.mergeRequest, patch, change), ...train.facts];
  await publishFacts(
    tx,
    facts.map((fact) => ({
      subject: after,
      fact,
      actorId,
      occurredAt: after.updatedAt,
      mergeUserId: autoMergeUserId,
    })),
  );
  jobs.push(...(change.jobs ?? []), ...train.jobs);
  if (patch.state === 'merged') jobs.push(...(await jobsOfWaiting(tx, id)));
  return after;
}

const openBranches = 'merge_requests_open_branches';

/** A unique violation of the open branches as G-4.2-4 words it. */
async function branchesTaken(
  db: SqlExecutor,
  branches: Pick<NewMergeRequest, 'sourceProjectId' | 'sourceBranch' | 'projectId' | 'targetBranch'>,
): Promise<AppError> {
  const [row] = await db.query<{ iid: number }>(sql`
    select iid from merge_requests where source_project_id = ${branches.sourceProjectId} and source_branch = ${branches.sourceBranch}
      and project_id = ${branches.projectId} and target_branch = ${branches.targetBranch} and state in ('opened', 'locked')`);
  return conflict([
    `Another open merge request already exists for this source branch: ${row === undefined ? '' : `!${row.iid}`}`.trim(),
  ]);
}

interface ChangeOfOne<L> {
  readonly id: number;
  readonly actorId: number;
  readonly decide: (locked: L) => MergeRequestChange | undefined;
}

interface Together {
  readonly within?: Tx;
  readonly also?: (tx: Tx) => Promise<void>;
}

/** The part of a change that concerns the train of a merge request; merge trains implement it. */
export interface TrainChanges {
  /**
   * Does it in the transaction of the change, whose row is locked first.
   * @returns undefined when the signal, or the result of a landing, came too late, which voids the change
   * @throws AppError not_acceptable when a car that is being merged would be removed (D8)
   */
  change(
    tx: Tx,
    mergeRequest: MergeRequest,
    change: MergeRequestChange,
    actorId: number,
    now: Date,
  ): Promise<TrainConsequences | undefined>;
}

/** What a decision gives, or how it refuses. */
function attempt<T>(decide: () => T): PromiseSettledResult<T> {
  try {
    return { status: 'fulfilled', value: decide() };
  } catch (reason) {
    if (!isAppError(reason)) throw reason;
    return { status: 'rejected', reason };
  }
}

/** What merge requests are kept with. */
export interface MergeRequestStoreEdges {
  readonly db: Database;
  readonly prisma: PrismaClient;
  readonly trains: TrainChanges;
}

/** See `changeAll` of `mergeRequestStore`. */
async function changeEach<L extends LockedMergeRequest>(
  { db, trains }: Pick<MergeRequestStoreEdges, 'db' | 'trains'>,
  lockThem: (tx: Tx, ids: readonly number[]) => Promise<Map<number, L>>,
  changes: readonly ChangeOfOne<L>[],
  { within, also }: Together = {},
): Promise<MergeRequest[] | undefined> {
  const work = async (tx: Tx): Promise<MergeRequest[]> => {
    const locked = await lockThem(
      tx,
      changes.map(({ id }) => id),
    );
    const changed: MergeRequest[] = [];
    const jobs: JobRequest[] = [];
    for (const { id, actorId, decide } of changes) {
      const before = locked.get(id);
      if (before === undefined) throw notFound();
      const change = decide(before);
      const after = change && (await apply(tx, trains, before, change, actorId, jobs));
      if (after !== undefined) changed.push(after);
      else if (within === undefined) throw new VoidChange();
    }
    await also?.(tx);
    await enqueueJobs(tx, jobs);
    return changed;
  };
  if (within !== undefined) return work(within);
  return db.transaction(work).catch((error: unknown) => {
    if (error instanceof VoidChange) return undefined;
    throw error;
  });
}

/**
 * The table of merge requests and what hangs on it. Every change goes through a closure that cannot drop lock, version
 * and events.
 */
export const mergeRequestStore = ({ db, prisma, trains }: MergeRequestStoreEdges) => ({
  ...mergeRequestReads(db),
  ...mergeabilityStore(db),
  ...mergePlanStore(db),
  ...mergeRequestPeopleStore(db, prisma),
  ...approvalReads(db),

  /**
   * Opens a merge request with its people, labels, first diff version and event.
   * @throws AppError conflict when an open one exists for the same branches (G-4.2-4)
   */
  async create(wanted: NewMergeRequest): Promise<{ id: number; iid: number }> {
    try {
      return await db.transaction(async (tx) => {
        await lockHead(tx, wanted.sourceProjectId, wanted.sourceSha, wanted.sourceBranch);
        const iid = await nextIid(tx, wanted.projectId, 'merge_requests');
        const row = await tx.one(sql`
          insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title,
            description, draft, task_count, completed_task_count, source_sha, target_sha, squash, force_remove_source_branch,
            allow_collaboration, approvals_before_merge, milestone_id, merge_after, discussion_locked, time_estimate, total_time_spent,
            milestone_due, label_priority, prepared_at, changes_count, head_pipeline_id)
          values (${iid}, ${wanted.projectId}, ${wanted.sourceProjectId}, ${wanted.sourceBranch}, ${wanted.targetBranch},
            ${wanted.authorId}, ${wanted.title}, ${wanted.description ?? null}, ${wanted.draft}, ${wanted.taskCount},
            ${wanted.completedTaskCount}, ${wanted.sourceSha}, ${wanted.targetSha}, ${wanted.squash},
            ${wanted.forceRemoveSourceBranch ?? null}, ${wanted.allowCollaboration}, ${wanted.approvalsBeforeMerge ?? null},
            ${wanted.milestoneId ?? null}, ${wanted.mergeAfter ?? null}, ${wanted.discussionLocked ?? null},
            ${wanted.timeEstimate}, ${wanted.totalTimeSpent}, ${milestoneDue(wanted.milestoneId ?? null)},
            ${leastPriority(sql`${[...wanted.labelIds]}::bigint[]`)}, now(), ${wanted.diff?.filesCount ?? null},
            (select id from pipelines where project_id = ${wanted.sourceProjectId} and sha = ${wanted.sourceSha}
              and ref = ${wanted.sourceBranch} and not tag order by id desc limit 1))
          returning *`);
        let mergeRequest = toMergeRequest(row!);
        const { id } = mergeRequest;
        if (wanted.diff !== undefined) {
          mergeRequest = await update(tx, id, { latestDiffId: await addDiff(tx, id, wanted.diff) }, true);
        }
        if (wanted.assigneeIds.length > 0) await replacePeople(tx, 'assignees', id, wanted.assigneeIds);
        if (wanted.reviewerIds.length > 0) await replacePeople(tx, 'reviewers', id, wanted.reviewerIds);
        if (wanted.labelIds.length > 0) await replaceLabels(tx, id, wanted.labelIds);
        await recordEvents(tx, id, wanted.authorId, undefined, { ...mergeRequest, labelIds: wanted.labelIds });
        await timelogs.record(tx, id, wanted.authorId, wanted.timelogs);
        const { participants, facts, jobs } = consequencesOfCreation(wanted);
        await addParticipants(tx, id, participants);
        const approvers = await requestedApprovers(tx, mergeRequest);
        const all = approvers.length === 0 ? facts : [...facts, approvalRequested(approvers)];
        await publishFacts(
          tx,
          all.map((fact) => ({
            subject: mergeRequest,
            fact,
            actorId: wanted.authorId,
            occurredAt: mergeRequest.createdAt,
          })),
        );
        await enqueueJobs(tx, jobs);
        return { id, iid };
      });
    } catch (error) {
      if (isUniqueViolation(error, openBranches)) throw await branchesTaken(db, wanted);
      throw error;
    }
  },

  /**
   * Locks a merge request, calls `decide`, and saves that with its events and jobs in one transaction.
   * `decide` is synchronous, so that nothing remote happens under the lock; undefined changes nothing. It may run more
   * than once.
   * @param within the caller's transaction, in place of one of its own
   * @throws AppError not_found; conflict when it would be a second open one for its branches
   */
  async change(
    id: number,
    actorId: number,
    decide: (locked: ReviewedMergeRequest) => MergeRequestChange | undefined,
    within?: Tx,
  ): Promise<MergeRequest> {
    let branches: MergeRequest | undefined;
    const work = async (tx: Tx): Promise<MergeRequest> => {
      const locked = (await lockReviewed(tx, [id])).get(id);
      if (locked === undefined) throw notFound();
      const change = decide(locked);
      branches = {
        ...locked.mergeRequest,
        ...(change?.patch?.targetBranch ? { targetBranch: change.patch.targetBranch } : {}),
      };
      const jobs: JobRequest[] = [];
      const after = change && (await apply(tx, trains, locked, change, actorId, jobs));
      await enqueueJobs(tx, jobs);
      return after ?? locked.mergeRequest;
    };
    try {
      return await (within === undefined ? db.transaction(work) : work(within));
    } catch (error) {
      if (branches !== undefined && isUniqueViolation(error, openBranches)) throw await branchesTaken(db, branches);
      throw error;
    }
  },

  // The row is locked before the command is noted: a repetition that comes in between finds what the first has noted.
  changeOnce(
    id: number,
    actorId: number,
    cause: string,
    decide: (locked: LockedMergeRequest) => MergeRequestChange | undefined,
  ): Promise<MergeRequest> {
    return db.transaction(async (tx) => {
      await tx.query(sql`select 1 from merge_requests where id = ${id} for no key update`);
      const first = await tx.one(sql`
        insert into merge_request_time_commands (merge_request_id, cause)
        select id, ${cause} from merge_requests where id = ${id} on conflict do nothing returning 1`);
      return this.change(id, actorId, (locked) => (first === undefined ? undefined : decide(locked)), tx);
    });
  },

  /**
   * Changes several merge requests in one transaction, in the order given. All are locked first, by ascending id: each
   * change locks its train as well, and one that locked its merge request only then would wait for a transaction that
   * has locked that and waits for the train.
   * @returns the merge requests after their changes, without those that were void; undefined when none was made
   *   because one was void
   * @throws AppError not_found
   */
  changeAll: (changes: readonly ChangeOfOne<LockedMergeRequest>[], options?: Together) =>
    changeEach({ db, trains }, lockAll, changes, options),

  /** `changeAll` for decisions on what others hold against a merge. */
  changeAllReviewed: (changes: readonly ChangeOfOne<ReviewedMergeRequest>[], options?: Together) =>
    changeEach({ db, trains }, lockReviewed, changes, options),

  /**
   * Several changes in one transaction: under load it costs one commit, where each would wait for the one before it. A
   * change that `decide` refuses takes no other with it; when one cannot be saved, none is.
   * @returns what became of each, in the same order; AppErrors of `decide`, and not_found
   */
  async changeTogether(wanted: readonly WantedChange[]): Promise<PromiseSettledResult<MergeRequest>[]> {
    return db.transaction(async (tx) => {
      // Before any train is locked, as a single change does.
      const locked = await lockAll(tx, [...new Set(wanted.map(({ id }) => id))]);
      const outcomes: PromiseSettledResult<MergeRequest>[] = [];
      const jobs: JobRequest[] = [];
      for (const one of wanted) {
        const now = locked.get(one.id);
        const decided = attempt(() => {
          if (now === undefined) throw notFound();
          return one.decide(now);
        });
        if (now === undefined || decided.status === 'rejected' || decided.value === undefined) {
          outcomes.push(decided.status === 'rejected' ? decided : { status: 'fulfilled', value: now!.mergeRequest });
          continue;
        }
        const change = decided.value;
        const after = await one.within(() => apply(tx, trains, now, change, one.actorId, jobs));
        outcomes.push({ status: 'fulfilled', value: after ?? now.mergeRequest });
        const again = wanted.filter(({ id }) => id === one.id).length > 1 ? await lock(tx, one.id) : undefined;
        if (again !== undefined) locked.set(one.id, again);
      }
      await enqueueJobs(tx, jobs);
      return outcomes;
    });
  },

  /**
   * Deletes a merge request as `decide` requires: with the removal of its car, its jobs and its events, in one
   * transaction.
   * @throws AppError not_found; precondition_failed when it changed after `unmodifiedSince`; what `decide` throws
   */
  async remove(
    id: number,
    actorId: number,
    unmodifiedSince: Date | undefined,
    decide: (locked: LockedMergeRequest) => MergeRequestChange,
  ): Promise<void> {
    await db.transaction(async (tx) => {
      const locked = await lock(tx, id);
      if (locked === undefined) throw notFound();
      const { mergeRequest } = locked;
      const change = decide(locked);
      await requireUnmodified(tx, 'merge_requests', id, unmodifiedSince);
      const now = new Date();
      const train = await trains.change(tx, mergeRequest, change, actorId, now);
      // The removal of its car comes before the deletion, behind which followers expect no other event.
      const facts = [...(train?.facts ?? []), ...(change.facts ?? [])];
      await publishFacts(
        tx,
        facts.map((fact) => ({ subject: mergeRequest, fact, actorId, occurredAt: now })),
      );
      await tx.query(sql`delete from merge_requests where id = ${id}`);
      await tx.query(
        sql`delete from jobs where key = ${String(id)} and kind in ('auto_merge', 'rebase', 'settle_merge', 'follow_source')`,
      );
      await enqueueJobs(tx, train?.jobs ?? []);
    });
  },
});
