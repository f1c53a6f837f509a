import { type Database, isUniqueViolation, requireUnmodified, type SqlExecutor, type Tx } from '@switchyard/database';
import { join, named, raw, sql } from '@switchyard/database/sql';
import { leastPriority, milestoneDue, usersByUsernames, type Viewer } from '@switchyard/directory';
import { conflict, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { Issue } from '../domain/issue';
import type { IssueChange, IssueFact, IssuePatch, LockedIssue, NewIssue } from '../domain/issue-change';
import type { CopyRules } from '../domain/issue-copy';
import type { IssueKey, IssueViewer } from '../domain/issue-query';
import type { IssueView } from '../domain/issue-view';
import { publishIssueFacts } from './issue.events';
import { issueColumns, issueFrom, issueSelect, readIssueView, toIssue, toIssueView } from './issue.row';
import { issueReaders, openToLevel, visibleIssues } from './issue.visibility';
import { copyConversation } from './issue-conversation.store';

faultPoints.push('issue.written', 'issue.committed');

/** Column of each field a change may set. */
const patchColumns: Record<keyof IssuePatch, string> = {
  title: 'title',
  description: 'description',
  state: 'state',
  issueType: 'issue_type',
  confidential: 'confidential',
  severity: 'severity',
  discussionLocked: 'discussion_locked',
  milestoneId: 'milestone_id',
  dueDate: 'due_date',
  weight: 'weight',
  timeEstimate: 'time_estimate',
  totalTimeSpent: 'total_time_spent',
  taskCount: 'task_count',
  completedTaskCount: 'completed_task_count',
  userNotesCount: 'user_notes_count',
  upvotes: 'upvotes',
  downvotes: 'downvotes',
  closedById: 'closed_by_id',
  closedAt: 'closed_at',
  movedToId: 'moved_to_id',
  updatedAt: 'updated_at',
};

/** The next number of a project's issues, or the one that is wished for; the counter never falls behind. */
async function takeIid(tx: Tx, projectId: number, wish: number | undefined): Promise<number> {
  const row = await tx.one<{ iid: number }>(sql`
    insert into iid_counters (project_id, scope, last_iid) values (${projectId}, 'issues', ${wish ?? 1})
    on conflict (project_id, scope) do update
      set last_iid = ${wish === undefined ? sql`iid_counters.last_iid + 1` : sql`greatest(iid_counters.last_iid, ${wish})`}
    returning last_iid as iid`);
  return wish ?? row!.iid;
}

async function lock(tx: Tx, id: number): Promise<LockedIssue | undefined> {
  const row = await tx.one(sql`select ${issueColumns} from issues i where i.id = ${id} for no key update`);
  if (row === undefined) return undefined;
  const attached = await tx.one<{ assignees: number[]; labels: number[] }>(sql`
    select array(select user_id from issue_assignees where issue_id = ${id} order by created_at, user_id) as assignees,
      array(select label_id from issue_labels where issue_id = ${id} order by label_id) as labels`);
  return { issue: toIssue(row), assigneeIds: attached!.assignees, labelIds: attached!.labels };
}

async function replaceAssignees(tx: Tx, id: number, userIds: readonly number[]): Promise<void> {
  await tx.query(sql`delete from issue_assignees where issue_id = ${id} and user_id <> all(${[...userIds]}::bigint[])`);
  // Milliseconds apart, so that the order given is the order kept.
  await tx.query(sql`
    insert into issue_assignees (issue_id, user_id, created_at)
    select ${id}, user_id, now() + position * interval '1 millisecond'
    from unnest(${[...userIds]}::bigint[]) with ordinality as given (user_id, position)
    on conflict (issue_id, user_id) do nothing`);
}

async function replaceLabels(tx: Tx, id: number, labelIds: readonly number[]): Promise<void> {
  await tx.query(sql`delete from issue_labels where issue_id = ${id} and label_id <> all(${[...labelIds]}::bigint[])`);
  await tx.query(sql`
    insert into issue_labels (issue_id, label_id)
    select ${id}, label_id from unnest(${[...labelIds]}::bigint[]) as given (label_id) on conflict do nothing`);
}

async function addParticipants(tx: Tx, id: number, userIds: readonly number[]): Promise<void> {
  const known = [...new Set(userIds)].filter((userId) => userId > 0);
  if (known.length === 0) return;
  await tx.query(sql`
    insert into issue_participants (issue_id, user_id)
    select ${id}, user_id from unnest(${known}::bigint[]) as given (user_id)
    on conflict (issue_id, user_id) do update set internal = false where issue_participants.internal`);
}

/** Users whom facts mention, as far as they can read the issue; groups and `all` name nobody. */
async function mentionedReaders(tx: Tx, issue: Issue, facts: readonly IssueFact[]): Promise<number[]> {
  const names = facts.flatMap((fact) =>
    'mentions' in fact ? [...fact.mentions.usernames, ...fact.mentions.directlyAddressed] : [],
  );
  if (names.length === 0) return [];
  const users = await usersByUsernames(tx, names);
  const ids = [...users.values()].map(({ id }) => id);
  return ids.length === 0 ? [] : issueReaders(tx, issue, ids);
}

/** Whoever took part in an issue takes part in the one that stands for it. */
async function copyParticipants(tx: Tx, fromId: number, toId: number, { internal }: CopyRules): Promise<void> {
  await tx.query(sql`
    insert into issue_participants as known (issue_id, user_id, internal)
    select ${toId}, user_id, internal from issue_participants where issue_id = ${fromId} and (${internal}::boolean or not internal)
    on conflict (issue_id, user_id) do update set internal = false where known.internal and not excluded.internal`);
}

async function update(tx: Tx, id: number, patch: IssuePatch, labelIds?: readonly number[]): Promise<Issue> {
  const sets = Object.entries(patch)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => sql`${raw(patchColumns[field as keyof IssuePatch])} = ${value}`);
  if (patch.milestoneId !== undefined) sets.push(sql`milestone_due = ${milestoneDue(patch.milestoneId)}`);
  if (labelIds !== undefined) sets.push(sql`label_priority = ${leastPriority(sql`${[...labelIds]}::bigint[]`)}`);
  if (patch.updatedAt === undefined) sets.push(sql`updated_at = now()`);
  const row = await tx.one(sql`
    update issues i set ${join([...sets, sql`lock_version = lock_version + 1`], ', ')} where id = ${id}
    returning ${issueColumns}`);
  return toIssue(row!);
}

async function insert(
  tx: Tx,
  wanted: NewIssue,
  { actorId, movedFromId }: { actorId: number; movedFromId?: number },
): Promise<Issue> {
  const { title, mentions, labelIds, alertId } = wanted;
  const iid = await takeIid(tx, wanted.projectId, wanted.iid);
  const row = await tx.one(sql`
    insert into issues as i (iid, project_id, author_id, title, description, issue_type, confidential, severity, milestone_id,
      due_date, weight, time_estimate, total_time_spent, task_count, completed_task_count, milestone_due, label_priority, alert_id,
      discussion_locked, created_at, updated_at)
    values (${iid}, ${wanted.projectId}, ${wanted.authorId}, ${typeof title === 'string' ? title : title(iid)}, ${wanted.description ?? null}, ${wanted.issueType},
      ${wanted.confidential}, ${wanted.severity ?? 'unknown'}, ${wanted.milestoneId ?? null}, ${wanted.dueDate ?? null},
      ${wanted.weight ?? null}, ${wanted.timeEstimate ?? 0}, ${wanted.totalTimeSpent ?? 0}, ${wanted.taskCount},
      ${wanted.completedTaskCount}, ${milestoneDue(wanted.milestoneId ?? null)},
      ${leastPriority(sql`${[...wanted.labelIds]}::bigint[]`)}, ${alertId ?? null}, ${wanted.discussionLocked ?? null},
      coalesce(${wanted.createdAt ?? null}, now()), now())
    returning ${issueColumns}`);
  const issue = toIssue(row!);
  if (wanted.assigneeIds.length > 0) await replaceAssignees(tx, issue.id, wanted.assigneeIds);
  if (wanted.labelIds.length > 0) await replaceLabels(tx, issue.id, wanted.labelIds);
  const fact: IssueFact = { kind: 'created', mentions, labelIds, movedFromId, alertId };
  const mentioned = await mentionedReaders(tx, issue, [fact]);
  await addParticipants(tx, issue.id, [wanted.authorId, ...wanted.assigneeIds, ...mentioned]);
  await publishIssueFacts(tx, {
    subject: issue,
    assigneeIds: wanted.assigneeIds,
    facts: [fact],
    actorId,
    occurredAt: new Date(),
  });
  return issue;
}

async function apply(tx: Tx, before: LockedIssue, change: IssueChange, actorId: number): Promise<Issue> {
  const { id } = before.issue;
  const after = await update(tx, id, change.patch ?? {}, change.labelIds);
  if (change.assigneeIds !== undefined) await replaceAssignees(tx, id, change.assigneeIds);
  if (change.labelIds !== undefined) await replaceLabels(tx, id, change.labelIds);
  const mentioned = await mentionedReaders(tx, after, change.facts ?? []);
  await addParticipants(tx, id, [...(change.participants ?? []), ...mentioned]);
  await publishIssueFacts(tx, {
    subject: after,
    assigneeIds: change.assigneeIds ?? before.assigneeIds,
    facts: change.facts ?? [],
    actorId,
    occurredAt: new Date(),
  });
  return after;
}

/** Both sides of a commit, for tests that kill the process there. */
function markFaults(tx: Tx): void {
  faultPoint('issue.written');
  tx.afterCommit(() => faultPoint('issue.committed'));
}

/** The table of issues and what hangs on it. Every change goes through a closure that cannot forget lock, version and events. */
export const issueStore = (db: Database) => ({
  view: (key: IssueKey, viewer: IssueViewer): Promise<IssueView | undefined> =>
    readIssueView(
      db,
      key,
      viewer,
      viewer.level === undefined
        ? visibleIssues(viewer)
        : sql`p.issues_enabled and ${openToLevel(viewer, viewer.level)}`,
    ),

  async viewsByIds(ids: readonly number[], viewer: Viewer): Promise<IssueView[]> {
    const rows = await db.query(
      named(
        'find_issues',
        sql`select ${issueSelect(viewer)} from ${issueFrom} where i.id = any(${[...ids]}::bigint[]) and ${visibleIssues(viewer)}`,
      ),
    );
    return rows.map(toIssueView);
  },

  async subscribedAmong(ids: readonly number[], userId: number): Promise<Set<number>> {
    const rows = await db.query<{ id: number }>(sql`
      select i.id from issues i
      left join issue_subscriptions s on s.issue_id = i.id and s.user_id = ${userId}
      left join issue_participants p on p.issue_id = i.id and p.user_id = ${userId}
      where i.id = any(${[...ids]}::bigint[]) and coalesce(s.subscribed, p.user_id is not null)`);
    return new Set(rows.map(({ id }) => id));
  },

  async create(wanted: NewIssue): Promise<Issue> {
    try {
      return await db.transaction(async (tx) => {
        const issue = await insert(tx, wanted, { actorId: wanted.authorId });
        markFaults(tx);
        return issue;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'issues_iid')) throw conflict('Duplicated issue');
      throw error;
    }
  },

  /**
   * Locks an issue, asks `decide` what to change, and saves that with its events in one transaction. `decide` is synchronous, so that
   * nothing remote happens under the lock; undefined changes nothing. It may run more than once.
   * @throws AppError not_found
   */
  change: (id: number, actorId: number, decide: (locked: LockedIssue) => IssueChange | undefined): Promise<Issue> =>
    db.transaction((tx) => changeIssue(tx, id, actorId, decide)),

  /**
   * Puts `wanted` in the place of an issue that moves to another project, and closes the old one.
   * @param rules how the conversation is copied
   * @throws AppError not_found; conflict when it was moved meanwhile
   */
  async move(id: number, actorId: number, rules: CopyRules, decide: (locked: LockedIssue) => NewIssue): Promise<Issue> {
    return db.transaction(async (tx) => {
      const locked = await lock(tx, id);
      if (locked === undefined) throw notFound();
      if (locked.issue.movedToId !== undefined) throw conflict('Cannot move issue that was moved already!');
      const { alertId } = locked.issue;
      // An alert has one incident, and the newer issue is it.
      if (alertId !== undefined) await tx.query(sql`update issues set alert_id = null where id = ${id}`);
      const made = await insert(tx, { ...decide(locked), alertId }, { actorId, movedFromId: id });
      await copyConversation(tx, locked.issue, made, rules);
      await copyParticipants(tx, id, made.id, rules);
      const closes = locked.issue.state === 'opened';
      await apply(
        tx,
        locked,
        {
          patch: {
            movedToId: made.id,
            ...(closes ? { state: 'closed' as const, closedById: actorId, closedAt: new Date() } : {}),
          },
          participants: [actorId],
          facts: [
            { kind: 'moved', to: { id: made.id, iid: made.iid, projectId: made.projectId } },
            ...(closes ? [{ kind: 'closed' } as const] : []),
          ],
        },
        actorId,
      );
      markFaults(tx);
      return made;
    });
  },

  async remove(id: number, actorId: number, unmodifiedSince: Date | undefined): Promise<void> {
    await db.transaction(async (tx) => {
      const locked = await lock(tx, id);
      if (locked === undefined) throw notFound();
      await requireUnmodified(tx, 'issues', id, unmodifiedSince);
      await publishIssueFacts(tx, {
        subject: locked.issue,
        assigneeIds: locked.assigneeIds,
        facts: [{ kind: 'deleted' }],
        actorId,
        occurredAt: new Date(),
      });
      await tx.query(sql`delete from award_emoji where awardable_type = 'Issue' and awardable_id = ${id}`);
      await tx.query(sql`delete from issues where id = ${id}`);
      markFaults(tx);
    });
  },

  async removeOrphans(limit: number): Promise<number> {
    const row = await db.one<{ removed: number }>(sql`
      with gone as (select p.id from directory.projects p where p.deleted_at is not null),
      doomed as (select i.id from gone join issues i on i.project_id = gone.id limit ${limit}),
      reactions as (
        delete from award_emoji where awardable_type = 'Issue' and awardable_id in (select id from doomed)),
      removed as (delete from issues where id in (select id from doomed) returning 1),
      links as (
        delete from issue_merge_requests where (merge_request_id, project_id, iid) in (
          select link.merge_request_id, link.project_id, link.iid from gone
          join issue_merge_requests link on link.project_id = gone.id or link.merge_request_project_id = gone.id
          limit ${limit}) returning 1),
      alerts as (
        delete from followed_alerts where alert_id in (
          select known.alert_id from gone join followed_alerts known on known.project_id = gone.id limit ${limit})
        returning 1),
      assignments as (
        delete from issue_assignees where (issue_id, user_id) in (
          select a.issue_id, a.user_id from directory.users u join issue_assignees a on a.user_id = u.id
          where u.deleted_at is not null limit ${limit})
        returning 1),
      counters as (delete from iid_counters where project_id in (select id from gone) returning 1)
      select (select count(*) from removed)::int + (select count(*) from links)::int + (select count(*) from alerts)::int
        + (select count(*) from counters)::int + (select count(*) from assignments)::int
        as removed`);
    return row?.removed ?? 0;
  },

  /** Whether a user is told of everything: as they said, else because they take part. */
  async isSubscribed(id: number, userId: number): Promise<boolean> {
    const row = await db.one<{ subscribed: boolean }>(sql`
      select coalesce(
        (select subscribed from issue_subscriptions where issue_id = ${id} and user_id = ${userId}),
        exists (select 1 from issue_participants where issue_id = ${id} and user_id = ${userId})) as subscribed`);
    return row?.subscribed ?? false;
  },

  /**
   * Notes what a user said; false when that was so already, whether they had said it or take part.
   * @throws AppError not_found when the issue was deleted meanwhile
   */
  async setSubscription(id: number, userId: number, subscribed: boolean): Promise<boolean> {
    // Decided by the row itself, so that of several at once one changes it.
    const row = await db.one<{ alive: boolean; changed: boolean }>(sql`
      with issue as (select id from issues where id = ${id} for key share),
      said as (
        insert into issue_subscriptions as said (issue_id, user_id, subscribed)
        select i.id, ${userId}, ${subscribed} from issue i
        where exists (select 1 from issue_subscriptions where issue_id = i.id and user_id = ${userId})
          or exists (select 1 from issue_participants where issue_id = i.id and user_id = ${userId}) <> ${subscribed}::boolean
        on conflict (issue_id, user_id) do update set subscribed = excluded.subscribed where said.subscribed <> excluded.subscribed
        returning 1)
      select exists (select 1 from issue) as alive, exists (select 1 from said) as changed`);
    if (row?.alive !== true) throw notFound();
    return row.changed;
  },
});

/** The incidents of alerts, within the transaction of what happened to their alert. */
export const incidents = {
  /** Opens the incident of an alert. The caller holds the alert, so that it has one. */
  async open(tx: Tx, wanted: NewIssue & { readonly alertId: number }): Promise<Issue> {
    const issue = await insert(tx, wanted, { actorId: wanted.authorId });
    markFaults(tx);
    return issue;
  },

  /** The incident of an alert, wherever it was moved; undefined for none, and where it was deleted. */
  async ofAlert(tx: SqlExecutor, alertId: number): Promise<Issue | undefined> {
    const [row] = await tx.query(sql`select ${issueColumns} from issues i where i.alert_id = ${alertId}`);
    return row === undefined ? undefined : toIssue(row);
  },
};

/** `IssueStore.change` within a transaction of the caller's: for what happens to issues because something else happened. */
export async function changeIssue(
  tx: Tx,
  id: number,
  actorId: number,
  decide: (locked: LockedIssue) => IssueChange | undefined,
): Promise<Issue> {
  const locked = await lock(tx, id);
  if (locked === undefined) throw notFound();
  const change = decide(locked);
  if (change === undefined) return locked.issue;
  const after = await apply(tx, locked, change, actorId);
  markFaults(tx);
  return after;
}
