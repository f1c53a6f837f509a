import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { labelsByTitles, leastPriority, namedMilestones } from '@switchyard/directory';
import type { ImportedFields } from '@switchyard/texts';
import type { Issue } from '../domain/issue';
import {
  decideRefresh,
  fieldsOfImported,
  type ImportedIssue,
  type ImportedIssueEvent,
  type ImportKey,
} from '../domain/issue-import';
import { publishIssueFacts } from './issue.events';
import { issueColumns, toIssue } from './issue.row';
import { markFaults, refreshIssue, reserveIids } from './issue-change.store';
import { bringEventsIn } from './issue-event.store';
import { timelogs } from './issue-timelog.store';

const noMentions = { usernames: [], directlyAddressed: [] };

/** Issues with what of the project they name. */
type PlacedIssue = ImportedIssue & { readonly labelIds: number[]; readonly milestoneId: number | undefined };

/** Finds labels and milestones of issues by their titles and numbers. */
async function place(db: Database, projectId: number, issues: readonly ImportedIssue[]): Promise<PlacedIssue[]> {
  const labels = await labelsByTitles(db, projectId, [...new Set(issues.flatMap((issue) => issue.labels))]);
  const labelIds = new Map(labels.map(({ title, id }) => [title, id]));
  const milestoneId = await namedMilestones(
    db,
    projectId,
    issues.flatMap(({ milestone }) => milestone ?? []),
  );
  return issues.map((one) => ({
    ...one,
    labelIds: [...new Set(one.labels.flatMap((title) => labelIds.get(title) ?? []))],
    milestoneId: one.milestone && milestoneId(one.milestone),
  }));
}

/** An issue as its row has it, with what is attached to it. */
function rowOf({ projectId, importedFrom }: ImportKey, one: PlacedIssue) {
  const { closedAt, more } = one;
  return {
    iid: one.iid,
    project_id: projectId,
    author_id: one.authorId,
    title: one.title,
    description: one.description,
    issue_type: more?.issueType ?? 'issue',
    confidential: more?.confidential ?? false,
    severity: more?.severity ?? 'unknown',
    discussion_locked: more === undefined ? one.locked || undefined : more.discussionLocked,
    milestone_id: one.milestoneId,
    due_date: more?.dueDate,
    weight: more?.weight,
    health_status: more?.healthStatus,
    time_estimate: more?.timeEstimate ?? 0,
    total_time_spent: more?.totalTimeSpent ?? 0,
    task_count: one.taskCount ?? 0,
    completed_task_count: one.completedTaskCount ?? 0,
    state: closedAt === undefined ? 'opened' : 'closed',
    closed_at: closedAt,
    closed_by_id: more?.closedById,
    imported_from: importedFrom,
    created_at: one.createdAt,
    updated_at: one.updatedAt,
    assignee_ids: one.assigneeIds,
    participant_ids: more?.participantIds ?? [],
    internal_participant_ids: more?.internalParticipantIds ?? [],
    label_ids: one.labelIds,
  };
}

/** Columns that are taken as they are given. */
const columns = sql`iid, project_id, author_id, title, description, issue_type, confidential, severity, discussion_locked,
  milestone_id, due_date, weight, health_status, time_estimate, total_time_spent, task_count, completed_task_count, state, closed_at,
  closed_by_id, imported_from, created_at, updated_at`;

/** Inserts issues with their people and labels; those whose number the project has meanwhile are left out. */
async function insertAll(tx: Tx, rows: readonly object[]): Promise<Issue[]> {
  // Milliseconds between assignees, so that the order given is the order kept.
  const inserted = await tx.query(sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (iid bigint, project_id bigint, author_id bigint,
        title text, description text, issue_type text, confidential boolean, severity text, discussion_locked boolean,
        milestone_id bigint, due_date date, weight int, health_status text, time_estimate bigint, total_time_spent bigint,
        task_count int, completed_task_count int, state text, closed_at timestamptz, closed_by_id bigint, imported_from text,
        created_at timestamptz, updated_at timestamptz, assignee_ids bigint[], participant_ids bigint[], internal_participant_ids bigint[],
        label_ids bigint[])),
    added as (
      insert into issues (${columns}, milestone_due, label_priority)
      select ${columns},
        (select ms.due_date from directory.milestones ms where ms.id = given.milestone_id and ms.deleted_at is null),
        ${leastPriority(sql`given.label_ids`)}
      from given order by iid on conflict (project_id, iid) do nothing returning *),
    assigned as (
      insert into issue_assignees (issue_id, user_id, created_at)
      select i.id, user_id, now() + position * interval '1 millisecond'
      from added i join given using (iid), unnest(given.assignee_ids) with ordinality as one (user_id, position)
      on conflict do nothing),
    labelled as (
      insert into issue_labels (issue_id, label_id)
      select i.id, label_id from added i join given using (iid), unnest(given.label_ids) as one (label_id)),
    taking_part as (
      insert into issue_participants (issue_id, user_id, internal)
      select i.id, user_id, bool_and(internal) from added i join given using (iid), lateral (
        select given.author_id as user_id, false as internal
        union all select unnest(given.assignee_ids || given.participant_ids), false
        union all select unnest(given.internal_participant_ids), true) one
      where user_id > 0 group by i.id, user_id)
    select ${issueColumns} from added i order by i.iid`);
  return inserted.map(toIssue);
}

/** Opens issues as they were at the forge; of what was done to them there nothing is recorded as done here. */
async function openAll(tx: Tx, key: ImportKey, issues: readonly PlacedIssue[]): Promise<void> {
  await reserveIids(tx, key.projectId, Math.max(...issues.map(({ iid }) => iid)));
  const given = new Map(issues.map((one) => [one.iid, one]));
  const opened = (
    await insertAll(
      tx,
      [...given.values()].map((one) => rowOf(key, one)),
    )
  ).map((issue) => ({ issue, one: given.get(issue.iid)! }));
  await timelogs.bringIn(
    tx,
    opened.flatMap(({ issue, one }) => (one.more?.timelogs ?? []).map((entry) => ({ ...entry, ownerId: issue.id }))),
  );
  await keepFields(
    tx,
    opened.map(({ issue, one }) => ({ ...one, id: issue.id })),
  );
  await publishIssueFacts(
    tx,
    opened.map(({ issue: subject, one: { assigneeIds, labelIds } }) => ({
      ...{ subject, assigneeIds, actorId: subject.authorId, occurredAt: subject.createdAt },
      facts: [{ kind: 'created', mentions: noMentions, labelIds }],
    })),
  );
  markFaults(tx);
}

/** Keeps what an import writes of issues; those of an archive are not refreshed. */
async function keepFields(tx: Tx, issues: readonly (PlacedIssue & { readonly id: number })[]): Promise<void> {
  const kept = issues.filter(({ more }) => more === undefined);
  if (kept.length === 0) return;
  await tx.query(sql`
    insert into issue_imports (issue_id, fields)
    select id, fields::jsonb from unnest(${kept.map(({ id }) => id)}::bigint[],
      ${kept.map((one) => JSON.stringify(fieldsOfImported(one)))}::text[]) as given (id, fields)
    on conflict (issue_id) do update set fields = excluded.fields`);
}

/** Brings issues that came in before up to how they are at the forge, where nobody has changed them here. */
const refreshAll = (db: Database, issues: readonly (PlacedIssue & { readonly id: number })[]): Promise<void> =>
  db.transaction(async (tx) => {
    // In the order of their ids, as all who lock several.
    const sorted = [...issues].sort((a, b) => a.id - b.id);
    const rows = await tx.query<{ id: number; fields: ImportedFields }>(sql`
      select issue_id as id, fields from issue_imports where issue_id = any(${sorted.map(({ id }) => id)}::bigint[])`);
    const wrote = new Map(rows.map(({ id, fields }) => [id, fields]));
    for (const one of sorted) {
      const theirs = { ...one, taskCount: one.taskCount ?? 0, completedTaskCount: one.completedTaskCount ?? 0 };
      await refreshIssue(tx, one.id, (locked) => decideRefresh(locked, wrote.get(one.id) ?? {}, theirs));
    }
    await keepFields(
      tx,
      sorted.filter(({ id }) => wrote.has(id)),
    );
  });

/** Opens the store of imported issues. */
export const issueImportStore = (db: Database) => ({
  async addIssues(key: ImportKey, issues: readonly ImportedIssue[], knownBefore?: Date): Promise<number> {
    const { projectId, importedFrom } = key;
    const iids = issues.map(({ iid }) => iid);
    const known = await db.query<{ id: number; iid: number; own: boolean }>(sql`
      select id, iid, imported_from = ${importedFrom} as own from issues
      where project_id = ${projectId} and iid = any(${iids}::bigint[]) order by id`);
    const have = new Set(known.map(({ iid }) => iid));
    const missing = issues.filter(({ iid }) => !have.has(iid));
    const wanted = missing.filter(({ createdAt }) => knownBefore === undefined || createdAt >= knownBefore);
    const own = known.filter((one) => one.own);
    const ownIds = new Map(own.map(({ id, iid }) => [iid, id]));
    const placed = await place(
      db,
      projectId,
      knownBefore === undefined ? wanted : [...wanted, ...issues.filter(({ iid }) => ownIds.has(iid))],
    );
    const fresh = placed.filter(({ iid }) => !ownIds.has(iid));
    if (fresh.length > 0) await db.transaction((tx) => openAll(tx, key, fresh));
    if (knownBefore !== undefined)
      await refreshAll(
        db,
        placed.flatMap((one) => {
          const id = ownIds.get(one.iid);
          return id === undefined ? [] : [{ ...one, id }];
        }),
      );
    return own.length + new Set(missing.map(({ iid }) => iid)).size;
  },

  reserve: (projectId: number, highest: number): Promise<void> => reserveIids(db, projectId, highest),

  addEvents: (key: ImportKey, events: readonly ImportedIssueEvent[]): Promise<number> =>
    db.transaction(async (tx) => {
      const idOf = await importedIssues.lock(
        tx,
        key,
        events.map(({ iid }) => iid),
      );
      const placed = events.flatMap(({ iid, ...event }) => {
        const ownerId = idOf.get(iid);
        return ownerId === undefined ? [] : [{ ...event, ownerId }];
      });
      const added = await bringEventsIn(tx, key.projectId, placed);
      // The last one counts, of nobody as well; a page with later ones has come before, as forges list them.
      await tx.query(sql`
        update issues i set closed_by_id = (
          select e.user_id from resource_events e where e.issue_id = i.id and e.kind = 'state' and e.action = 'closed'
          order by e.created_at desc, e.id desc limit 1)
        where i.id = any(${placed.map(({ ownerId }) => ownerId)}::bigint[]) and i.state = 'closed' and i.closed_by_id is null`);
      return added;
    }),
});

/** Imported issues as carriers of imported notes. */
export const importedIssues = {
  /** Locks imported issues; their ids by number. */
  async lock(tx: Tx, { projectId, importedFrom }: ImportKey, iids: readonly number[]): Promise<Map<number, number>> {
    const rows = await tx.query<{ id: number; iid: number }>(sql`
      select id, iid from issues where project_id = ${projectId} and imported_from = ${importedFrom}
        and iid = any(${[...iids]}::bigint[]) order by id for no key update`);
    return new Map(rows.map(({ id, iid }) => [iid, id]));
  },

  /** Keeps how many votes locked issues have. */
  async keepVotes(
    tx: Tx,
    votes: readonly { readonly id: number; readonly upvotes: number; readonly downvotes: number }[],
  ): Promise<void> {
    await tx.query(sql`
      update issues i set upvotes = given.up, downvotes = given.down
      from unnest(${votes.map(({ id }) => id)}::bigint[], ${votes.map(({ upvotes }) => upvotes)}::int[],
        ${votes.map(({ downvotes }) => downvotes)}::int[]) as given (id, up, down)
      where i.id = given.id`);
  },

  /** Keeps how many notes locked issues have. */
  async keepCounts(
    tx: Tx,
    counts: readonly { readonly id: number; readonly userNotes: number; readonly internalNotes: number }[],
  ): Promise<void> {
    await tx.query(sql`
      update issues i set user_notes_count = given.notes, internal_notes_count = given.internal
      from unnest(${counts.map(({ id }) => id)}::bigint[], ${counts.map(({ userNotes }) => userNotes)}::int[],
        ${counts.map(({ internalNotes }) => internalNotes)}::int[]) as given (id, notes, internal)
      where i.id = given.id`);
  },
};
