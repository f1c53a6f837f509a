import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendAllToOutbox, issueEventId, issueEvents } from '@switchyard/events';
import type { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import type { Issue } from '../domain/issue';
import type { IssueFact } from '../domain/issue-change';
import { toIssue } from './issue.row';

type WireFact = NonNullable<IssueEvent['fact']>;
type Mentions = Extract<IssueFact, { kind: 'created' }>['mentions'];

const mentionsOf = ({ usernames, directlyAddressed }: Mentions) => ({
  usernames: [...usernames],
  directlyAddressedUsernames: [...directlyAddressed],
});

/** A fact as the event carries it, and its cause (the proto has the table of causes). */
function wireFact(fact: IssueFact, subject: Issue, assigneeIds: readonly number[]): { fact: WireFact; cause: string } {
  const version = String(subject.lockVersion);
  switch (fact.kind) {
    case 'created':
      return {
        cause: '1',
        fact: {
          $case: 'created',
          value: {
            assigneeIds: [...assigneeIds],
            mentions: mentionsOf(fact.mentions),
            labelIds: [...fact.labelIds],
            movedFromId: fact.movedFromId ?? 0,
            alertId: fact.alertId ?? 0,
            epicId: fact.epicId ?? 0,
          },
        },
      };
    case 'updated':
      return {
        cause: version,
        fact: {
          $case: 'updated',
          value: {
            addedAssigneeIds: [...fact.addedAssigneeIds],
            removedAssigneeIds: [...fact.removedAssigneeIds],
            mentions: mentionsOf(fact.mentions),
            changedFields: [...fact.changedFields],
            addedLabelIds: [...fact.addedLabelIds],
            removedLabelIds: [...fact.removedLabelIds],
            changes: [...fact.changes],
            oldDescription: fact.oldDescription,
          },
        },
      };
    case 'closed':
      return {
        cause: version,
        fact: { $case: 'closed', value: { byMergeRequestId: fact.byMergeRequestId ?? 0 } },
      };
    case 'reopened':
      return { cause: version, fact: { $case: 'reopened', value: {} } };
    case 'deleted':
      return { cause: '1', fact: { $case: 'deleted', value: {} } };
    case 'moved':
      return {
        cause: '1',
        fact: {
          $case: 'moved',
          value: { toIssueId: fact.to.id, toIssueIid: fact.to.iid, toProjectId: fact.to.projectId },
        },
      };
  }
}

/** An issue as its events carry it. */
const wireIssue = (
  issue: Issue,
  assigneeIds: readonly number[],
  labelIds: readonly number[],
): NonNullable<IssueEvent['issue']> => ({
  id: issue.id,
  iid: issue.iid,
  projectId: issue.projectId,
  authorId: issue.authorId,
  title: issue.title,
  confidential: issue.confidential,
  issueType: issue.issueType,
  assigneeIds: [...assigneeIds],
  version: issue.lockVersion,
  state: issue.state,
  labelIds: [...labelIds],
});

/** What the events of a change of an issue are made from. */
export interface IssueEventInput {
  /** The issue after the change. */
  readonly subject: Issue;
  readonly assigneeIds: readonly number[];
  readonly facts: readonly IssueFact[];
  /** 0 when no user caused it. */
  readonly actorId: number;
  readonly occurredAt: Date;
}

/** Appends the events of changes, in order, in their transaction. The rows must be locked. */
export async function publishIssueFacts(tx: SqlExecutor, changes: readonly IssueEventInput[]): Promise<void> {
  const telling = changes.filter(({ facts }) => facts.length > 0);
  if (telling.length === 0) return;
  const rows = await tx.query<{ id: number; sequence: number; labels: number[] }>(sql`
    select given.id, sequence, array(select label_id from issue_labels where issue_id = given.id order by label_id) as labels
    from directory.state, unnest(${telling.map(({ subject }) => subject.id)}::bigint[]) as given (id)`);
  const states = new Map(rows.map(({ id, ...state }) => [id, state]));
  const events = telling.flatMap(({ subject, assigneeIds, facts, actorId, occurredAt }) => {
    const state = states.get(subject.id);
    return facts.map((fact) => {
      const wire = wireFact(fact, subject, assigneeIds);
      return {
        id: issueEventId(wire.fact.$case, subject.id, wire.cause),
        payload: {
          issue: wireIssue(subject, assigneeIds, state?.labels ?? []),
          actorId,
          occurredAt,
          // An import opens the issue; later changes are made here.
          imported: fact.kind === 'created' && subject.importedFrom !== 'none',
          directorySequence: state?.sequence ?? 0,
          fact: wire.fact,
        },
      };
    });
  });
  await appendAllToOutbox(tx, issueEvents, events);
}

/** Notifies readers of a change that is history: without a fact nobody is notified of it (D6). The row must be locked. */
export async function publishRefreshedIssue(
  tx: SqlExecutor,
  issue: Issue,
  assigneeIds: readonly number[],
  labelIds: readonly number[],
): Promise<void> {
  const [state] = await tx.query<{ sequence: number }>(sql`select sequence from directory.state`);
  const payload = {
    issue: wireIssue(issue, assigneeIds, labelIds),
    actorId: 0,
    occurredAt: issue.updatedAt,
    imported: true,
    directorySequence: state?.sequence ?? 0,
    fact: undefined,
  };
  await appendAllToOutbox(tx, issueEvents, [
    { id: `${issueEvents.type}:refreshed:${issue.id}:${issue.lockVersion}`, payload },
  ]);
}

/** The current state of issues after an id, as events without a fact, for `publishStates`. */
export async function issueStates(
  tx: SqlExecutor,
  after: number,
  limit: number,
): Promise<{ id: number; payload: IssueEvent }[]> {
  const rows = await tx.query<
    Record<string, unknown> & { assignees: number[]; labels: number[]; sequence: number }
  >(sql`
    select i.*, (select sequence from directory.state) as sequence,
      array(select a.user_id from issue_assignees a where a.issue_id = i.id order by a.created_at, a.user_id) as assignees,
      array(select l.label_id from issue_labels l where l.issue_id = i.id order by l.label_id) as labels
    from issues i where i.id > ${after} order by i.id limit ${limit}`);
  return rows.map((row) => {
    const issue = toIssue(row);
    return {
      id: issue.id,
      payload: {
        issue: wireIssue(issue, row.assignees, row.labels),
        actorId: 0,
        occurredAt: issue.updatedAt,
        imported: false,
        directorySequence: row.sequence ?? 0,
        fact: undefined,
      },
    };
  });
}
