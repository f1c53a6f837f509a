import {
  type Database,
  isUniqueViolation,
  join,
  named,
  type PageInfo,
  type PageRequest,
  raw,
  requireUnmodified,
  type Sql,
  type SqlExecutor,
  sql,
  type Tx,
} from '@switchyard/database';
import { leastPriority, milestoneDue, type Viewer } from '@switchyard/directory';
import { type AppError, conflict, notFound } from '@switchyard/errors';
import { nextIid } from '../../iids/iid.store';
import { enqueueJobs } from '../../jobs/storage/job.store';
import { changeTrain } from '../../merge-trains/storage/merge-train.change';
import { lockHead } from '../../pipelines/storage/head-lock';
import { addToMergeTrain, onMergeTrain } from '../domain/auto-merge';
import { beingMerged, type MergeRequest } from '../domain/merge-request';
import type {
  DiffVersion,
  LockedMergeRequest,
  MergeRequestChange,
  MergeRequestFact,
  MergeRequestPatch,
  NewMergeRequest,
} from '../domain/merge-request-change';
import type { MergeRequestFilter } from '../domain/merge-request-filter';
import type { MergeRequestView } from '../domain/merge-request-view';
import { mergePlanStore, savePlan } from './merge-plan.store';
import { type Happening, publishFacts } from './merge-request.events';
import { listMergeRequests, type MergeRequestScope } from './merge-request.list';
import { mergeRequestFrom, mergeRequestSelect, readView, toMergeRequest, toView } from './merge-request.row';
import { addParticipants, mergeRequestPeopleStore, replaceLabels, replacePeople } from './merge-request-people.store';

/** Column of each field a change may set. */
const patchColumns: Record<keyof MergeRequestPatch, string> = {
  sourceProjectId: 'source_project_id',
  sourceBranch: 'source_branch',
  targetBranch: 'target_branch',
  authorId: 'author_id',
  title: 'title',
  description: 'description',
  state: 'state',
  draft: 'draft',
  taskCount: 'task_count',
  completedTaskCount: 'completed_task_count',
  sourceSha: 'source_sha',
  targetSha: 'target_sha',
  sourceBranchExists: 'source_branch_exists',
  mergeStatus: 'merge_status',
  mergeStatusGeneration: 'merge_status_generation',
  needsRebase: 'needs_rebase',
  mergeError: 'merge_error',
  rebaseInProgress: 'rebase_in_progress',
  squash: 'squash',
  forceRemoveSourceBranch: 'force_remove_source_branch',
  shouldRemoveSourceBranch: 'should_remove_source_branch',
  allowCollaboration: 'allow_collaboration',
  approvalsBeforeMerge: 'approvals_before_merge',
  discussionLocked: 'discussion_locked',
  milestoneId: 'milestone_id',
  mergeAfter: 'merge_after',
  preparedAt: 'prepared_at',
  autoMergeStrategy: 'auto_merge_strategy',
  autoMergeUserId: 'auto_merge_user_id',
  autoMergeSha: 'auto_merge_sha',
  mergeCommitMessage: 'merge_commit_message',
  squashCommitMessage: 'squash_commit_message',
  mergeCommitSha: 'merge_commit_sha',
  squashCommitSha: 'squash_commit_sha',
  mergeUserId: 'merge_user_id',
  mergedAt: 'merged_at',
  closedById: 'closed_by_id',
  closedAt: 'closed_at',
  headPipelineId: 'head_pipeline_id',
  latestDiffId: 'latest_diff_id',
  changesCount: 'changes_count',
  userNotesCount: 'user_notes_count',
  internalNotesCount: 'internal_notes_count',
  upvotes: 'upvotes',
  downvotes: 'downvotes',
  unresolvedDiscussionsCount: 'unresolved_discussions_count',
  timeEstimate: 'time_estimate',
  totalTimeSpent: 'total_time_spent',
  importedFrom: 'imported_from',
  updatedAt: 'updated_at',
};

// A description may have a megabyte: what works on many rows leaves it out.
const leanColumns = (alias: string): Sql =>
  raw(
    ['id', 'iid', 'project_id', 'lock_version', 'created_at', ...Object.values(patchColumns)]
      .map((column) => (column === 'description' ? 'null::text as description' : `${alias}.${column}`))
      .join(', '),
  );
const lean = leanColumns('merge_requests');

async function lock(tx: Tx, id: number): Promise<LockedMergeRequest | undefined> {
  const row = await tx.one(sql`select * from merge_requests where id = ${id} for no key update`);
  if (row === undefined) return undefined;
  // Only after the lock is there is it what the lock protects.
  const attached = await tx.one<{
    assignees: number[];
    reviewers: number[];
    labels: number[];
    planned_sha: string | null;
  }>(sql`
    select array(select user_id from merge_request_assignees where merge_request_id = ${id} order by created_at, user_id) as assignees,
      array(select user_id from merge_request_reviewers where merge_request_id = ${id} order by created_at, user_id) as reviewers,
      array(select label_id from merge_request_labels where merge_request_id = ${id} order by label_id) as labels,
      (select new_sha from merge_request_merges where merge_request_id = ${id}) as planned_sha`);
  return {
    mergeRequest: toMergeRequest(row),
    assigneeIds: attached!.assignees,
    reviewerIds: attached!.reviewers,
    labelIds: attached!.labels,
    plannedSha: attached!.planned_sha ?? undefined,
  };
}

async function addDiff(tx: Tx, id: number, diff: DiffVersion): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    insert into merge_request_diffs (merge_request_id, base_sha, head_sha, start_sha, commits_count, files_count)
    values (${id}, ${diff.baseSha}, ${diff.headSha}, ${diff.startSha}, ${diff.commitsCount}, ${diff.filesCount})
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

async function apply(
  tx: Tx,
  before: LockedMergeRequest,
  change: MergeRequestChange,
  actorId: number,
): Promise<MergeRequest> {
  const { id, autoMergeUserId } = before.mergeRequest;
  const train = await changeTrain(tx, before.mergeRequest, change, actorId, change.patch?.mergedAt ?? new Date());
  if (train === undefined) return before.mergeRequest;
  let patch = { ...train.patch, ...change.patch };
  if (change.newHead !== undefined) patch = { ...patch, ...(await headOf(tx, before.mergeRequest, change.newHead)) };
  if (change.diff !== undefined) patch = { ...patch, latestDiffId: await addDiff(tx, id, change.diff) };
  const after = await update(tx, id, patch, change.quiet ?? false, change.labelIds);
  if (change.assigneeIds !== undefined) await replacePeople(tx, 'assignees', id, change.assigneeIds);
  if (change.reviewerIds !== undefined) await replacePeople(tx, 'reviewers', id, change.reviewerIds);
  if (change.labelIds !== undefined) await replaceLabels(tx, id, change.labelIds);
  if (change.plan !== undefined) await savePlan(tx, id, change.plan);
  await addParticipants(tx, id, change.participants ?? []);
  const facts = [...(change.facts ?? []), ...autoMergeFacts(before.mergeRequest, patch, change), ...train.facts];
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
  await enqueueJobs(tx, [...(change.jobs ?? []), ...train.jobs]);
  return after;
}

/** What became of auto-merge by a change; a car on a train has facts of its own. */
function autoMergeFacts(
  before: MergeRequest,
  { autoMergeStrategy }: MergeRequestPatch,
  { leaves, landed }: MergeRequestChange,
): MergeRequestFact[] {
  const was = before.autoMergeStrategy;
  if (autoMergeStrategy === undefined || autoMergeStrategy === (was ?? null)) return [];
  if (autoMergeStrategy !== null) {
    if (autoMergeStrategy === onMergeTrain) return [];
    const boards = autoMergeStrategy === addToMergeTrain;
    return [{ kind: 'auto_merge_changed', change: 'set', boards, setById: 0 }];
  }
  if (was === onMergeTrain || landed !== undefined || leaves === undefined) return [];
  return [
    {
      kind: 'auto_merge_changed',
      change: leaves === 'canceled' ? 'canceled' : 'aborted',
      boards: was === addToMergeTrain,
      setById: before.autoMergeUserId ?? 0,
      reason: leaves,
    },
  ];
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

/** A version of a diff as it is stored. */
export interface StoredDiff extends DiffVersion {
  readonly id: number;
  readonly createdAt: Date;
}

const diffColumns = sql`id, base_sha as "baseSha", head_sha as "headSha", start_sha as "startSha",
  commits_count as "commitsCount", files_count as "filesCount", created_at as "createdAt"`;

/** What git found out about one merge request. */
export interface MergeabilityResult {
  readonly id: number;
  /** Generation the check was started for. */
  readonly generation: number;
  readonly sourceSha: string;
  readonly targetSha: string;
  readonly mergeable: boolean;
  readonly needsRebase: boolean;
}

/** The table of merge requests and what hangs on it. Every change goes through a closure that cannot forget lock, version and events. */
export const mergeRequestStore = (db: Database) => ({
  ...mergePlanStore(db),
  ...mergeRequestPeopleStore(db),

  /** @param viewer whom it is read for, where it is shown */
  view: (
    key: { id: number } | { projectId: number; iid: number },
    viewer?: Viewer,
  ): Promise<MergeRequestView | undefined> => readView(db, key, viewer),

  list: (query: {
    scope: MergeRequestScope;
    filter: MergeRequestFilter;
    viewer: Viewer;
    request: PageRequest;
  }): Promise<{ rows: MergeRequestView[]; page: PageInfo }> => listMergeRequests(db, query),

  async viewsByIds(ids: readonly number[], viewer: Viewer): Promise<MergeRequestView[]> {
    const rows = await db.query(
      named(
        'find_merge_requests',
        sql`select ${mergeRequestSelect(viewer)} from ${mergeRequestFrom} where mr.id = any(${[...ids]}::bigint[])`,
      ),
    );
    return rows.map(toView);
  },

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
        await addParticipants(tx, id, [wanted.authorId, ...wanted.assigneeIds, ...wanted.reviewerIds]);
        const fact: MergeRequestFact = {
          kind: 'created',
          assigneeIds: wanted.assigneeIds,
          reviewerIds: wanted.reviewerIds,
          mentions: wanted.mentions,
          issueReferences: wanted.issueReferences,
        };
        await publishFacts(tx, [
          { subject: mergeRequest, fact, actorId: wanted.authorId, occurredAt: mergeRequest.createdAt },
        ]);
        await enqueueJobs(tx, [{ kind: 'mergeability', projectId: wanted.projectId }]);
        return { id, iid };
      });
    } catch (error) {
      if (isUniqueViolation(error, openBranches)) throw await branchesTaken(db, wanted);
      throw error;
    }
  },

  /**
   * Locks a merge request, asks `decide` what to change, and saves that with its events and jobs in one transaction. `decide`
   * is synchronous, so that nothing remote happens under the lock; undefined changes nothing. It may run more than once.
   * @param within the caller's transaction, in place of one of its own
   * @throws AppError not_found; conflict when it would be a second open one for its branches
   */
  async change(
    id: number,
    actorId: number,
    decide: (locked: LockedMergeRequest) => MergeRequestChange | undefined,
    within?: Tx,
  ): Promise<MergeRequest> {
    let branches: MergeRequest | undefined;
    const work = async (tx: Tx): Promise<MergeRequest> => {
      const locked = await lock(tx, id);
      if (locked === undefined) throw notFound();
      const change = decide(locked);
      branches = {
        ...locked.mergeRequest,
        ...(change?.patch?.targetBranch ? { targetBranch: change.patch.targetBranch } : {}),
      };
      return change === undefined ? locked.mergeRequest : await apply(tx, locked, change, actorId);
    };
    try {
      return await (within === undefined ? db.transaction(work) : work(within));
    } catch (error) {
      if (branches !== undefined && isUniqueViolation(error, openBranches)) throw await branchesTaken(db, branches);
      throw error;
    }
  },

  /** Deletes a merge request. @throws AppError not_found; precondition_failed when it changed after `unmodifiedSince` */
  async remove(id: number, actorId: number, unmodifiedSince: Date | undefined): Promise<void> {
    await db.transaction(async (tx) => {
      const locked = await lock(tx, id);
      if (locked === undefined) throw notFound();
      const { mergeRequest } = locked;
      if (mergeRequest.state === 'locked') throw beingMerged();
      await requireUnmodified(tx, 'merge_requests', id, unmodifiedSince);
      const left = await changeTrain(tx, mergeRequest, { leaves: 'closed' }, actorId, new Date());
      await enqueueJobs(tx, left?.jobs ?? []);
      await publishFacts(tx, [{ subject: mergeRequest, fact: { kind: 'deleted' }, actorId, occurredAt: new Date() }]);
      await tx.query(
        sql`delete from jobs where key = ${String(id)} and kind in ('auto_merge', 'rebase', 'settle_merge')`,
      );
      await tx.query(sql`delete from merge_requests where id = ${id}`);
    });
  },

  /** Versions of the diff, newest first, from `skip` on. */
  diffs: (id: number, skip: number, limit: number): Promise<StoredDiff[]> =>
    db.query<StoredDiff>(sql`
      select ${diffColumns} from merge_request_diffs where merge_request_id = ${id}
      order by id desc limit ${limit} offset ${skip}`),

  diff: (id: number, diffId: number): Promise<StoredDiff | undefined> =>
    db.one<StoredDiff>(sql`
      select ${diffColumns} from merge_request_diffs where merge_request_id = ${id} and id = ${diffId}`),

  /** True when no merge request of this author was merged into the project before this one. */
  async isFirstContribution(mr: Pick<MergeRequest, 'id' | 'projectId' | 'authorId'>): Promise<boolean> {
    const row = await db.one<{ first: boolean }>(sql`
      select not exists (select 1 from merge_requests where project_id = ${mr.projectId} and author_id = ${mr.authorId}
        and state = 'merged' and id <> ${mr.id}) as first`);
    return row?.first ?? false;
  },

  /** Open merge requests of a project whose mergeability is not known; marks them as being checked. */
  async startChecks(projectId: number): Promise<MergeRequest[]> {
    const rows = await db.query(sql`
      update merge_requests set merge_status = case when merge_status in ('cannot_be_merged_recheck', 'cannot_be_merged_rechecking')
        then 'cannot_be_merged_rechecking' else 'checking' end
      where project_id = ${projectId} and state = 'opened'
        and merge_status in ('unchecked', 'checking', 'cannot_be_merged_recheck', 'cannot_be_merged_rechecking', 'preparing')
      returning ${lean}`);
    return rows.map(toMergeRequest).sort((a, b) => a.id - b.id);
  },

  /**
   * Saves what git found out: one statement for all, which passes over merge requests that a push has touched meanwhile.
   * Those that could be merged before, or were never checked, and now cannot, are events; auto-merge jobs follow.
   */
  async saveChecks(results: readonly MergeabilityResult[]): Promise<void> {
    if (results.length === 0) return;
    await db.transaction(async (tx) => {
      const rows = await tx.query<Record<string, unknown> & { was: string }>(sql`
        update merge_requests mr set merge_status = case when given.mergeable then 'can_be_merged' else 'cannot_be_merged' end,
          needs_rebase = given.needs_rebase, target_sha = given.target_sha,
          lock_version = mr.lock_version + 1
        from unnest(${results.map(({ id }) => id)}::bigint[], ${results.map(({ generation }) => generation)}::int[],
            ${results.map(({ mergeable }) => mergeable)}::bool[], ${results.map(({ needsRebase }) => needsRebase)}::bool[],
            ${results.map(({ targetSha }) => targetSha)}::text[]) as given (id, generation, mergeable, needs_rebase, target_sha),
          merge_requests before
        where mr.id = given.id and before.id = mr.id and mr.state = 'opened' and mr.merge_status_generation = given.generation
        returning ${leanColumns('mr')}, before.merge_status as was`);
      const happenings: Happening[] = [];
      const jobs: number[] = [];
      for (const row of rows) {
        const mergeRequest = toMergeRequest(row);
        const { sourceSha = '', targetSha = '' } = mergeRequest;
        if (mergeRequest.mergeStatus === 'cannot_be_merged' && !String(row.was).startsWith('cannot_be_merged')) {
          happenings.push({
            subject: mergeRequest,
            fact: { kind: 'became_unmergeable', sourceSha, targetSha },
            actorId: 0,
            occurredAt: new Date(),
          });
        }
        const { autoMergeStrategy } = mergeRequest;
        if (autoMergeStrategy !== undefined && autoMergeStrategy !== onMergeTrain) jobs.push(mergeRequest.id);
      }
      await publishFacts(tx, happenings);
      await enqueueJobs(
        tx,
        jobs.map((mergeRequestId) => ({ kind: 'auto_merge', mergeRequestId })),
      );
    });
  },

  /**
   * Forgets what is known of the mergeability of some merge requests, or of all open ones into a branch, and has them checked. Those
   * on a train are left out: the train finds out by building them, and they are checked when they leave.
   */
  async recheck(which: { ids: readonly number[] } | { projectId: number; targetBranch: string }): Promise<void> {
    await db.transaction(async (tx) => {
      const condition =
        'ids' in which
          ? sql`id = any(${[...which.ids]}::bigint[])`
          : sql`project_id = ${which.projectId} and target_branch = ${which.targetBranch}`;
      const rows = await tx.query<{ project_id: number }>(sql`
        update merge_requests set merge_status_generation = merge_status_generation + 1,
          merge_status = case when merge_status like 'cannot_be_merged%' then 'cannot_be_merged_recheck' else 'unchecked' end
        where state = 'opened' and id in (select id from merge_requests where state = 'opened' and ${condition}
          and auto_merge_strategy is distinct from ${onMergeTrain} order by id for no key update)
        returning project_id`);
      const projects = new Set(rows.map((row) => row.project_id));
      await enqueueJobs(
        tx,
        [...projects].map((projectId) => ({ kind: 'mergeability', projectId })),
      );
    });
  },

  /** Merge requests from a branch that are not merged. */
  async unmergedFrom(sourceProjectId: number, sourceBranch: string): Promise<MergeRequest[]> {
    const rows = await db.query(sql`
      select ${lean} from merge_requests where source_project_id = ${sourceProjectId} and source_branch = ${sourceBranch}
        and state <> 'merged' order by id`);
    return rows.map(toMergeRequest);
  },

  /** Open merge requests into a branch. */
  async openInto(projectId: number, targetBranch: string): Promise<MergeRequest[]> {
    const rows = await db.query(sql`
      select ${lean} from merge_requests where project_id = ${projectId} and target_branch = ${targetBranch}
        and state in ('opened', 'locked') order by id`);
    return rows.map(toMergeRequest);
  },

  /** Open merge requests with auto-merge set: looked at now and then, for what no event tells (a time that has come). */
  async withAutoMerge(limit: number): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select id from merge_requests where auto_merge_strategy is not null and auto_merge_strategy <> ${onMergeTrain} and state = 'opened' order by id limit ${limit}`);
    return rows.map(({ id }) => id);
  },
});

/** What `mergeRequestStore` gives. */
export type MergeRequestStore = ReturnType<typeof mergeRequestStore>;
