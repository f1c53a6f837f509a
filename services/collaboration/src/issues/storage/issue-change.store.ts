import type { SqlExecutor, Tx } from '@switchyard/database';
import { join, raw, sql } from '@switchyard/database/sql';
import { leastPriority, milestoneDue } from '@switchyard/directory';
import { invalid, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { datesChannel, lockTrees, placeIssue, showsConfidential } from '../../epic-trees';
import type { Issue } from '../domain/issue';
import type {
  IssueChange,
  IssueDecision,
  IssueDeletion,
  IssueFact,
  IssueMove,
  IssuePatch,
  LockedIssue,
  NewIssue,
} from '../domain/issue-change';
import type { CopyRules } from '../domain/issue-copy';
import { publishIssueFacts, publishRefreshedIssue } from './issue.events';
import { issueColumns, toIssue } from './issue.row';
import { issueReaders } from './issue.visibility';
import { copyConversation } from './issue-conversation.store';
import { copyEvents, recordEvents } from './issue-event.store';
import { timelogs } from './issue-timelog.store';
import { replaceLabels } from './label-links';
import { mentionedUsers } from './mentioned-users';
import { addParticipants } from './subscription.store';

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
  healthStatus: 'health_status',
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

/** Has issues of a project numbered above a number from now on; they may be already. */
export async function reserveIids(db: SqlExecutor, projectId: number, highest: number): Promise<void> {
  await db.query(sql`
    insert into iid_counters (project_id, scope, last_iid) values (${projectId}, 'issues', ${highest})
    on conflict (project_id, scope) do update set last_iid = excluded.last_iid
    where iid_counters.last_iid < excluded.last_iid`);
}

/** The next number of a project's issues, or the requested one; the counter is never below a number in use. */
async function takeIid(tx: Tx, projectId: number, requested: number | undefined): Promise<number> {
  if (requested !== undefined) {
    await reserveIids(tx, projectId, requested);
    return requested;
  }
  const row = await tx.one<{ iid: number }>(sql`
    insert into iid_counters (project_id, scope, last_iid) values (${projectId}, 'issues', 1)
    on conflict (project_id, scope) do update set last_iid = iid_counters.last_iid + 1 returning last_iid as iid`);
  return row!.iid;
}

async function lock(tx: Tx, id: number): Promise<LockedIssue | undefined> {
  const row = await tx.one(sql`select ${issueColumns} from issues i where i.id = ${id} for no key update`);
  if (row === undefined) return undefined;
  const attached = await tx.one<{ assignees: number[]; labels: number[]; epic: number | null }>(sql`
    select array(select user_id from issue_assignees where issue_id = ${id} order by created_at, user_id) as assignees,
      array(select label_id from issue_labels where issue_id = ${id} order by label_id) as labels,
      (select epic_id from epic_issues where issue_id = ${id}) as epic`);
  const { assignees, labels, epic } = attached!;
  return { issue: toIssue(row), assigneeIds: assignees, labelIds: labels, epicId: epic ?? undefined };
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

/** Users whom facts mention and who can read the issue. */
async function mentionedReaders(tx: Tx, issue: Issue, facts: readonly IssueFact[]): Promise<number[]> {
  const ids = await mentionedUsers(tx, facts);
  return ids.length === 0 ? [] : issueReaders(tx, issue, ids);
}

/** The participants of an issue become those of the issue that takes its place. */
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

/**
 * Puts an issue in the place of one that is moved, in its epic; answers that. None where the new one lies outside the
 * hierarchy of the epic.
 */
async function takeEpic(tx: Tx, { issue, epicId }: LockedIssue, made: Issue): Promise<number | undefined> {
  if (epicId === undefined) return undefined;
  const taken = await tx.one(sql`
    update epic_issues link set issue_id = ${made.id}
    from directory.projects p join directory.namespaces home on home.id = p.namespace_id,
      epics e join directory.namespaces above on above.id = e.group_id
    where link.issue_id = ${issue.id} and e.id = link.epic_id and p.id = ${made.projectId} and home.ancestry[1] = above.ancestry[1]
    returning 1`);
  tx.notify(datesChannel);
  return taken && epicId;
}

async function insert(tx: Tx, wanted: NewIssue, actorId: number, moved?: LockedIssue): Promise<Issue> {
  const { title, mentions, labelIds, alertId } = wanted;
  const iid = await takeIid(tx, wanted.projectId, wanted.iid);
  const row = await tx.one(sql`
    insert into issues as i (iid, project_id, author_id, title, description, issue_type, confidential, severity, milestone_id,
      due_date, weight, health_status, time_estimate, total_time_spent, task_count, completed_task_count, milestone_due, label_priority, alert_id,
      discussion_locked, created_at)
    values (${iid}, ${wanted.projectId}, ${wanted.authorId}, ${typeof title === 'string' ? title : title(iid)}, ${wanted.description ?? null}, ${wanted.issueType},
      ${wanted.confidential}, ${wanted.severity ?? 'unknown'}, ${wanted.milestoneId ?? null}, ${wanted.dueDate ?? null},
      ${wanted.weight ?? null}, ${wanted.healthStatus ?? null}, ${wanted.timeEstimate ?? 0}, ${wanted.totalTimeSpent ?? 0}, ${wanted.taskCount},
      ${wanted.completedTaskCount}, ${milestoneDue(wanted.milestoneId ?? null)},
      ${leastPriority(sql`${[...wanted.labelIds]}::bigint[]`)}, ${alertId ?? null}, ${wanted.discussionLocked ?? null},
      coalesce(${wanted.createdAt ?? null}, now()))
    returning ${issueColumns}`);
  const issue = toIssue(row!);
  if (wanted.assigneeIds.length > 0) await replaceAssignees(tx, issue.id, wanted.assigneeIds);
  if (wanted.labelIds.length > 0) await replaceLabels(tx, 'issue', issue.id, wanted.labelIds);
  if (wanted.epicId !== undefined) await placeIssue(tx, issue.id, wanted.epicId);
  // What takes the place of an issue has that one's events.
  if (moved === undefined) await recordEvents(tx, issue.id, actorId, undefined, { ...issue, labelIds });
  else await copyEvents(tx, moved.issue.id, issue);
  await timelogs.record(tx, issue.id, wanted.authorId, wanted.timelogs ?? []);
  const epicId = moved === undefined ? wanted.epicId : await takeEpic(tx, moved, issue);
  const fact: IssueFact = { kind: 'created', mentions, labelIds, movedFromId: moved?.issue.id, alertId, epicId };
  const mentioned = await mentionedReaders(tx, issue, [fact]);
  await addParticipants(tx, 'issue', issue.id, [wanted.authorId, ...wanted.assigneeIds, ...mentioned]);
  await publishIssueFacts(tx, [
    {
      subject: issue,
      assigneeIds: wanted.assigneeIds,
      facts: [fact],
      actorId,
      occurredAt: new Date(),
    },
  ]);
  return issue;
}

async function saveChange(tx: Tx, before: LockedIssue, change: IssueChange, actorId: number): Promise<Issue> {
  const { id } = before.issue;
  const after = await update(tx, id, change.patch ?? {}, change.labelIds);
  if (change.assigneeIds !== undefined) await replaceAssignees(tx, id, change.assigneeIds);
  if (change.labelIds !== undefined) await replaceLabels(tx, 'issue', id, change.labelIds);
  if (change.epicId !== undefined) await placeIssue(tx, id, change.epicId ?? undefined);
  if (change.patch?.confidential === false && (await showsConfidential(tx, { issueId: id }))) {
    throw invalid({ confidential: ['cannot be taken from an issue of a confidential epic'] });
  }
  if (before.epicId !== undefined && change.patch?.milestoneId !== undefined) tx.notify(datesChannel);
  await recordEvents(
    tx,
    id,
    actorId,
    { ...before.issue, labelIds: before.labelIds },
    { ...after, labelIds: change.labelIds ?? before.labelIds },
  );
  await timelogs.record(tx, id, actorId, change.timelogs ?? []);
  const { removedTimelogId } = change;
  if (removedTimelogId !== undefined && !(await timelogs.remove(tx, id, removedTimelogId))) throw notFound();
  const mentioned = await mentionedReaders(tx, after, change.facts ?? []);
  await addParticipants(tx, 'issue', id, [...(change.participants ?? []), ...mentioned]);
  await publishIssueFacts(tx, [
    {
      subject: after,
      assigneeIds: change.assigneeIds ?? before.assigneeIds,
      facts: change.facts ?? [],
      actorId,
      occurredAt: new Date(),
    },
  ]);
  return after;
}

async function saveMove(tx: Tx, locked: LockedIssue, move: IssueMove, actorId: number): Promise<Issue> {
  const { replacement, copy, changeOld } = move;
  const { id } = locked.issue;
  // First, since an alert id stands on one issue at most.
  if (replacement.alertId !== undefined) await tx.query(sql`update issues set alert_id = null where id = ${id}`);
  const made = await insert(tx, replacement, actorId, locked);
  await copyConversation(tx, locked.issue, made, copy);
  await copyParticipants(tx, id, made.id, copy);
  await timelogs.copy(tx, id, made.id);
  await saveChange(tx, locked, changeOld(made), actorId);
  return made;
}

async function saveDeletion(
  tx: Tx,
  { issue, assigneeIds }: LockedIssue,
  { facts }: IssueDeletion,
  actorId: number,
): Promise<Issue> {
  await publishIssueFacts(tx, [{ subject: issue, assigneeIds, facts, actorId, occurredAt: new Date() }]);
  await tx.query(sql`delete from award_emoji where awardable_type = 'Issue' and awardable_id = ${issue.id}`);
  await tx.query(sql`delete from issues where id = ${issue.id}`);
  return issue;
}

/** Before and after the commit, for tests that kill the process there. */
export function markFaults(tx: Tx): void {
  faultPoint('issue.written');
  tx.afterCommit(() => faultPoint('issue.committed'));
}

/** Opens an issue with its people, labels and event, in the name of its author. */
export async function openIssue(tx: Tx, wanted: NewIssue): Promise<Issue> {
  if (wanted.epicId !== undefined) await lockTrees(tx);
  const issue = await insert(tx, wanted, wanted.authorId);
  markFaults(tx);
  return issue;
}

/**
 * Changes an issue as it was changed at the forge that it came from: what was done there is recorded by its events. The
 * issue is locked until the transaction ends.
 */
export async function refreshIssue(
  tx: Tx,
  id: number,
  decide: (locked: LockedIssue) => IssueChange | undefined,
): Promise<void> {
  const before = await lock(tx, id);
  const change = before && decide(before);
  if (before === undefined || change === undefined) return;
  const { patch = {}, labelIds = before.labelIds, assigneeIds = before.assigneeIds } = change;
  const after = await update(tx, id, patch, change.labelIds);
  if (change.assigneeIds !== undefined) await replaceAssignees(tx, id, assigneeIds);
  if (change.labelIds !== undefined) await replaceLabels(tx, 'issue', id, labelIds);
  await addParticipants(tx, 'issue', id, [...(change.participants ?? [])]);
  await publishRefreshedIssue(tx, after, assigneeIds, labelIds);
}

/** `IssueStore.change` within the caller's transaction. */
export async function changeIssue(
  tx: Tx,
  id: number,
  actorId: number,
  decide: (locked: LockedIssue) => IssueDecision,
  { trees = false }: { readonly trees?: boolean } = {},
): Promise<Issue> {
  // Before the row, as all who take both do.
  if (trees) await lockTrees(tx);
  const locked = await lock(tx, id);
  if (locked === undefined) throw notFound();
  const decision = decide(locked);
  if (decision === undefined) return locked.issue;
  const issue = await save(tx, locked, decision, actorId);
  markFaults(tx);
  return issue;
}

function save(tx: Tx, locked: LockedIssue, decision: NonNullable<IssueDecision>, actorId: number): Promise<Issue> {
  if ('replacement' in decision) return saveMove(tx, locked, decision, actorId);
  if ('deletes' in decision) return saveDeletion(tx, locked, decision, actorId);
  return saveChange(tx, locked, decision, actorId);
}

/** The incidents of alerts, within the transaction of the alert's event. */
export const incidents = {
  /** Opens the incident of an alert. The caller has locked the alert, so that it has one incident. */
  open: (tx: Tx, wanted: NewIssue & { readonly alertId: number }): Promise<Issue> => openIssue(tx, wanted),

  /** The incident of an alert, in whichever project it is; undefined for none, and where it was deleted. */
  async ofAlert(tx: SqlExecutor, alertId: number): Promise<Issue | undefined> {
    const [row] = await tx.query(sql`select ${issueColumns} from issues i where i.alert_id = ${alertId}`);
    return row === undefined ? undefined : toIssue(row);
  },
};
