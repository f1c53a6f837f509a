import type { Database, Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { labelsByTitles, leastPriority, namedMilestones } from '@switchyard/directory';
import { reserveIids } from '../../iids';
import { enqueueJobs } from '../../jobs';
import { lockHead } from '../../pipelines';
import {
  type AttachedMergeRequest,
  type CountedMergeRequest,
  type EventOfImported,
  type ImportKey,
  type NamingMergeRequest,
  type ReviewOfImported,
  type WroteMergeRequest,
  wroteOf,
} from '../domain/merge-request-import';
import { publishFacts } from './merge-request.events';
import { toMergeRequest } from './merge-request.row';
import { bringEventsIn } from './merge-request-event.store';
import { timelogs } from './merge-request-timelog.store';

const noMentions = { usernames: [], directlyAddressed: [] };

/** Merge requests with the labels and milestones that they name by title or number. */
async function attach(
  db: Database,
  projectId: number,
  given: readonly CountedMergeRequest[],
): Promise<AttachedMergeRequest[]> {
  const [labels, milestoneId] = await Promise.all([
    labelsByTitles(db, projectId, [...new Set(given.flatMap((one) => one.labels))]),
    namedMilestones(
      db,
      projectId,
      given.flatMap(({ milestone }) => milestone ?? []),
    ),
  ]);
  const labelIds = new Map(labels.map(({ title, id }) => [title, id]));
  return given.map((one) => ({
    ...one,
    labelIds: [...new Set(one.labels.flatMap((title) => labelIds.get(title) ?? []))],
    milestoneId: one.milestone && milestoneId(one.milestone),
  }));
}

/** Keeps what an import writes of merge requests. */
const keepFields = (db: Pick<Tx, 'query'>, given: readonly WroteMergeRequest[]) =>
  db.query(sql`
    insert into merge_request_imports (merge_request_id, fields, head_sha)
    select id, fields::jsonb, head from unnest(${given.map(({ id }) => id)}::bigint[],
      ${given.map(({ fields }) => JSON.stringify(fields))}::text[],
      ${given.map(({ headSha }) => headSha)}::text[]) as given (id, fields, head)
    on conflict (merge_request_id) do update set fields = excluded.fields, head_sha = excluded.head_sha`);

const rowOf = ({ projectId, importedFrom }: ImportKey, one: AttachedMergeRequest) => ({
  iid: one.iid,
  project_id: projectId,
  source_project_id: projectId,
  imported_from: importedFrom,
  source_branch: one.sourceBranch,
  target_branch: one.targetBranch,
  author_id: one.authorId,
  title: one.title,
  description: one.description,
  state: one.state,
  draft: one.draft,
  task_count: one.taskCount,
  completed_task_count: one.completedTaskCount,
  source_sha: one.sourceSha,
  target_sha: one.targetSha,
  source_branch_exists: one.sourceBranchExists,
  squash: one.squash,
  force_remove_source_branch: one.forceRemoveSourceBranch,
  discussion_locked: one.discussionLocked || undefined,
  milestone_id: one.milestoneId,
  label_ids: one.labelIds,
  merge_commit_sha: one.mergeCommitSha,
  squash_commit_sha: one.squashCommitSha,
  merge_user_id: one.mergedById,
  merged_at: one.state === 'merged' ? (one.mergedAt ?? one.updatedAt) : undefined,
  closed_by_id: one.closedById,
  closed_at: one.state === 'closed' ? (one.closedAt ?? one.updatedAt) : undefined,
  changes_count: one.versions.at(-1)?.filesCount,
  time_estimate: one.timeEstimate,
  total_time_spent: one.totalTimeSpent,
  merge_after: one.mergeAfter,
  approvals_before_merge: one.approvalsBeforeMerge,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});

/** Columns that are taken as they are given. */
const columns = sql`iid, project_id, source_project_id, imported_from, source_branch, target_branch, author_id, title, description,
  state, draft, task_count, completed_task_count, source_sha, target_sha, source_branch_exists, squash, force_remove_source_branch,
  discussion_locked, milestone_id, merge_commit_sha, squash_commit_sha, merge_user_id, merged_at, closed_by_id, closed_at,
  changes_count, time_estimate, total_time_spent, merge_after, approvals_before_merge, created_at, updated_at`;

const insertAll = (tx: Tx, rows: readonly object[]) =>
  tx.query(sql`
    insert into merge_requests (${columns}, merge_status, prepared_at, milestone_due, label_priority, head_pipeline_id)
    select ${columns}, case given.state when 'merged' then 'can_be_merged' else 'unchecked' end, created_at,
      (select ms.due_date from directory.milestones ms where ms.id = given.milestone_id and ms.deleted_at is null),
      ${leastPriority(sql`given.label_ids`)},
      case when given.state = 'opened' then (
        select p.id from pipelines p where p.project_id = given.project_id and p.sha = given.source_sha
          and p.ref = given.source_branch and not p.tag order by p.id desc limit 1) end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (iid bigint, project_id bigint, source_project_id bigint,
      imported_from text, source_branch text, target_branch text, author_id bigint, title text, description text, state text, draft boolean,
      task_count int, completed_task_count int, source_sha text, target_sha text, source_branch_exists boolean, squash boolean,
      force_remove_source_branch boolean, discussion_locked boolean, milestone_id bigint, label_ids bigint[], merge_commit_sha text,
      squash_commit_sha text, merge_user_id bigint, merged_at timestamptz, closed_by_id bigint, closed_at timestamptz, changes_count int,
      time_estimate int, total_time_spent int, merge_after timestamptz, approvals_before_merge int, created_at timestamptz, updated_at timestamptz)
    order by iid on conflict do nothing returning *`);

async function insertDiffs(tx: Tx, given: readonly (AttachedMergeRequest & { readonly id: number })[]): Promise<void> {
  const rows = given.flatMap(({ id, versions }) =>
    versions.map((version, position) => ({ merge_request_id: id, position, ...version })),
  );
  await tx.query(sql`
    with added as (
      insert into merge_request_diffs (merge_request_id, base_sha, head_sha, start_sha, commits_count, files_count, commit_shas, created_at)
      select merge_request_id, "baseSha", "headSha", "startSha", "commitsCount", "filesCount", "commitShas", "createdAt"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (merge_request_id bigint, position int, "baseSha" text,
        "headSha" text, "startSha" text, "commitsCount" int, "filesCount" int, "commitShas" text[], "createdAt" timestamptz)
      order by merge_request_id, position on conflict do nothing returning merge_request_id, id)
    update merge_requests mr set latest_diff_id = newest.id
    from (select merge_request_id, max(id) as id from added group by merge_request_id) newest where mr.id = newest.merge_request_id`);
}

/** Commits that merge requests show beside their own. */
async function insertContextCommits(
  tx: Tx,
  given: readonly (AttachedMergeRequest & { readonly id: number })[],
): Promise<void> {
  const rows = given.flatMap(({ id, contextCommits = [] }) => contextCommits.map((commit) => ({ id, ...commit })));
  if (rows.length === 0) return;
  await tx.query(sql`
    insert into merge_request_context_commits (merge_request_id, sha, committed_at)
    select id, sha, "committedAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id bigint, sha text, "committedAt" timestamptz)
    on conflict do nothing`);
}

/** Who belongs to a merge request, in what order: pairs of ids. */
const pairsOf = <T extends { readonly id: number }>(given: readonly T[], of: (one: T) => readonly number[]) => {
  const pairs = given.flatMap((one) => [...new Set(of(one))].map((other) => [one.id, other] as const));
  return { ids: pairs.map(([id]) => id), others: pairs.map(([, other]) => other) };
};

const pairs = ({ ids, others }: ReturnType<typeof pairsOf>): Sql =>
  sql`unnest(${ids}::bigint[], ${others}::bigint[]) with ordinality as given (id, other, position)`;

async function insertPeople(tx: Tx, given: readonly (AttachedMergeRequest & { readonly id: number })[]): Promise<void> {
  // Milliseconds apart, so that the order given is the order kept.
  await tx.query(sql`
    insert into merge_request_assignees (merge_request_id, user_id, created_at)
    select id, other, now() + position * interval '1 millisecond' from ${pairs(pairsOf(given, (one) => one.assigneeIds))}
    on conflict do nothing`);
  await tx.query(sql`
    insert into merge_request_labels (merge_request_id, label_id)
    select id, other from ${pairs(pairsOf(given, (one) => one.labelIds))} on conflict do nothing`);
  await tx.query(sql`
    insert into merge_request_participants (merge_request_id, user_id, created_at)
    select id, other, now() + position * interval '1 millisecond' from ${pairs(
      pairsOf(given, ({ authorId, assigneeIds, reviewers, approvals, participantIds = [] }) => [
        ...participantIds,
        authorId,
        ...assigneeIds,
        ...[...reviewers, ...approvals].map(({ userId }) => userId),
      ]),
    )} where other > 0 on conflict do nothing`);
  const reviewers = given.flatMap((one) => one.reviewers.map((review) => ({ id: one.id, ...review })));
  await setReviewers(tx, reviewers);
  const approvals = given.flatMap((one) => one.approvals.map((review) => ({ id: one.id, ...review })));
  await addApprovals(tx, approvals);
}

interface Review {
  readonly id: number;
  readonly userId: number;
  readonly state: string;
  readonly createdAt: Date;
}

const reviewRows = (reviews: readonly Review[]): Sql => sql`
  unnest(${reviews.map(({ id }) => id)}::bigint[], ${reviews.map(({ userId }) => userId)}::bigint[],
    ${reviews.map(({ state }) => state)}::text[], ${reviews.map(({ createdAt }) => createdAt)}::timestamptz[])
    as given (id, user_id, state, created_at)`;

const setReviewers = (tx: Tx, reviews: readonly Review[]) =>
  tx.query(sql`
    insert into merge_request_reviewers (merge_request_id, user_id, state, created_at)
    select id, user_id, state, created_at from ${reviewRows(reviews)} where user_id > 0
    on conflict (merge_request_id, user_id) do update set state = excluded.state`);

const addApprovals = (tx: Tx, reviews: readonly Review[]) =>
  tx.query(sql`
    insert into merge_request_approvals (merge_request_id, user_id, created_at)
    select id, user_id, created_at from ${reviewRows(reviews)} where user_id > 0 on conflict do nothing`);

/** Locks imported merge requests; their ids by number. */
async function lockImported(
  tx: Tx,
  { projectId, importedFrom }: ImportKey,
  iids: readonly number[],
): Promise<Map<number, number>> {
  const rows = await tx.query<{ id: number; iid: number }>(sql`
    select id, iid from merge_requests where project_id = ${projectId} and imported_from = ${importedFrom}
      and iid = any(${[...iids]}::bigint[]) order by id for no key update`);
  return new Map(rows.map(({ id, iid }) => [iid, id]));
}

const secondOf = (time: Date): number => Math.floor(time.getTime() / 1_000);

/** Seconds at which merge requests were merged, by id: forges that close as they merge say so by two events. */
async function mergeSeconds(tx: Tx, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx.query<{ id: number; at: Date }>(sql`
    select id, merged_at as at from merge_requests where id = any(${[...ids]}::bigint[]) and merged_at is not null`);
  return new Map(rows.map(({ id, at }) => [id, secondOf(at)]));
}

/** Source branches in a project of merge requests that are set to be merged, or on a train. */
export const branchesUnderWay =
  (db: Database) =>
  async (projectId: number): Promise<ReadonlySet<string>> => {
    const rows = await db.query<{ branch: string }>(sql`
      select source_branch as branch from merge_requests mr
      where source_project_id = ${projectId} and state in ('opened', 'locked') and (
        auto_merge_strategy is not null or state = 'locked'
        or exists (select from merge_request_merges m where m.merge_request_id = mr.id))`);
    return new Set(rows.map(({ branch }) => branch));
  };

/** Opens the store of imported merge requests. */
export const mergeRequestImportStore = (db: Database) => ({
  reserve: (projectId: number, highest: number): Promise<void> => reserveIids(db, projectId, 'merge_requests', highest),

  async taken(projectId: number, iids: readonly number[]): Promise<Set<number>> {
    const rows = await db.query<{ iid: number }>(sql`
      select iid from merge_requests where project_id = ${projectId} and iid = any(${[...iids]}::bigint[])`);
    return new Set(rows.map(({ iid }) => iid));
  },

  async add(key: ImportKey, given: readonly NamingMergeRequest[]): Promise<void> {
    const referencesOf = new Map(given.map(({ iid, issueReferences }) => [iid, issueReferences]));
    const wanted = await attach(db, key.projectId, given);
    await db.transaction(async (tx) => {
      const open = wanted.filter(({ state, sourceSha }) => state === 'opened' && sourceSha !== undefined);
      // In one order, so that two pages never wait for each other.
      for (const one of [...open].sort((a, b) => a.iid - b.iid))
        await lockHead(tx, key.projectId, one.sourceSha ?? '', one.sourceBranch);
      const rows = (
        await insertAll(
          tx,
          wanted.map((one) => rowOf(key, one)),
        )
      ).map(toMergeRequest);
      if (rows.length === 0) return;
      const idOf = new Map(rows.map(({ iid, id }) => [iid, id]));
      const added = wanted.flatMap((one) => {
        const id = idOf.get(one.iid);
        return id === undefined ? [] : [{ ...one, id }];
      });
      await insertDiffs(tx, added);
      await insertPeople(tx, added);
      await insertContextCommits(tx, added);
      await timelogs.bringIn(
        tx,
        added.flatMap((one) => (one.timelogs ?? []).map((entry) => ({ ...entry, ownerId: one.id }))),
      );
      await keepFields(
        tx,
        added.map((one) => wroteOf(one)),
      );
      const byId = new Map(added.map((one) => [one.id, one]));
      await publishFacts(
        tx,
        rows.map((subject) => ({
          subject,
          fact: {
            kind: 'created',
            assigneeIds: byId.get(subject.id)?.assigneeIds ?? [],
            reviewerIds: byId.get(subject.id)?.reviewers.map(({ userId }) => userId) ?? [],
            mentions: noMentions,
            issueReferences: referencesOf.get(subject.iid)!,
          },
          actorId: subject.authorId,
          occurredAt: subject.createdAt,
        })),
      );
      if (open.length > 0) await enqueueJobs(tx, [{ kind: 'mergeability', projectId: key.projectId }]);
    });
  },

  attach: ({ projectId }: ImportKey, given: readonly CountedMergeRequest[]): Promise<AttachedMergeRequest[]> =>
    attach(db, projectId, given),

  async wrote(
    { projectId, importedFrom }: ImportKey,
    iids: readonly number[],
  ): Promise<Map<number, WroteMergeRequest>> {
    const rows = await db.query<WroteMergeRequest & { iid: number }>(sql`
      select mr.iid, mr.id, w.fields, w.head_sha as "headSha"
      from merge_requests mr join merge_request_imports w on w.merge_request_id = mr.id
      where mr.project_id = ${projectId} and mr.imported_from = ${importedFrom} and mr.iid = any(${[...iids]}::bigint[])`);
    return new Map(rows.map(({ iid, ...wrote }) => [iid, wrote]));
  },

  async keep(given: readonly WroteMergeRequest[]): Promise<void> {
    await keepFields(db, given);
  },

  async count({ projectId, importedFrom }: ImportKey, iids: readonly number[]): Promise<number> {
    const row = await db.one<{ count: number }>(sql`
      select count(*)::int as count from merge_requests
      where project_id = ${projectId} and imported_from = ${importedFrom} and iid = any(${[...iids]}::bigint[])`);
    return row?.count ?? 0;
  },

  review: (key: ImportKey, reviews: readonly ReviewOfImported[]): Promise<number> =>
    db.transaction(async (tx) => {
      const idOf = await lockImported(
        tx,
        key,
        reviews.map(({ mergeRequestIid }) => mergeRequestIid),
      );
      const placed = reviews.flatMap(({ mergeRequestIid, ...review }) => {
        const id = idOf.get(mergeRequestIid);
        return id === undefined ? [] : [{ id, ...review }];
      });
      await setReviewers(tx, placed);
      await addApprovals(
        tx,
        placed.filter(({ state }) => state === 'approved'),
      );
      await tx.query(sql`
        delete from merge_request_approvals a using ${reviewRows(
          placed.filter(({ state }) => state === 'requested_changes' || state === 'unapproved'),
        )} where a.merge_request_id = given.id and a.user_id = given.user_id`);
      await tx.query(sql`
        insert into merge_request_participants (merge_request_id, user_id)
        select id, user_id from ${reviewRows(placed)} on conflict do nothing`);
      return placed.length;
    }),

  addEvents: (key: ImportKey, events: readonly EventOfImported[]): Promise<number> =>
    db.transaction(async (tx) => {
      const idOf = await lockImported(
        tx,
        key,
        events.map(({ iid }) => iid),
      );
      const mergedAt = await mergeSeconds(tx, [...idOf.values()]);
      const placed = events.flatMap(({ iid, ...event }) => {
        const ownerId = idOf.get(iid);
        if (ownerId === undefined || (event.action === 'closed' && mergedAt.get(ownerId) === secondOf(event.createdAt)))
          return [];
        return [{ ...event, ownerId }];
      });
      const added = await bringEventsIn(tx, key.projectId, placed);
      // The last one of a kind counts, of nobody as well; a page with later ones has come before, as forges list them.
      await tx.query(sql`
        with ends as (
          select mr.id, mr.state, (
            select e.user_id from resource_events e
            where e.merge_request_id = mr.id and e.kind = 'state' and e.action = mr.state
            order by e.created_at desc, e.id desc limit 1) as actor
          from merge_requests mr where mr.id = any(${placed.map(({ ownerId }) => ownerId)}::bigint[])
            and mr.state in ('merged', 'closed'))
        update merge_requests mr set
          merge_user_id = case when ends.state = 'merged' then coalesce(mr.merge_user_id, ends.actor) else mr.merge_user_id end,
          closed_by_id = case when ends.state = 'closed' then coalesce(mr.closed_by_id, ends.actor) else mr.closed_by_id end
        from ends where mr.id = ends.id and ends.actor is not null`);
      return added;
    }),

  async next({ projectId, importedFrom }: ImportKey, fromIid: number): Promise<number | undefined> {
    const row = await db.one<{ iid: number }>(sql`
      select iid from merge_requests where project_id = ${projectId} and iid >= ${fromIid} and imported_from = ${importedFrom}
      order by iid limit 1`);
    return row?.iid;
  },

  async locate({ projectId, importedFrom }: ImportKey, iids: readonly number[]) {
    const rows = await db.query<{
      iid: number;
      id: number;
      baseSha: string | null;
      startSha: string | null;
      headSha: string | null;
    }>(sql`
      select mr.iid, mr.id, d.base_sha as "baseSha", d.start_sha as "startSha", d.head_sha as "headSha"
      from merge_requests mr left join merge_request_diffs d on d.id = mr.latest_diff_id
      where mr.project_id = ${projectId} and mr.imported_from = ${importedFrom} and mr.iid = any(${[...iids]}::bigint[])
      order by mr.iid`);
    return rows.map(({ iid, id, baseSha, startSha, headSha }) => ({
      iid,
      id,
      refs: baseSha === null || startSha === null || headSha === null ? undefined : { baseSha, startSha, headSha },
    }));
  },
});
