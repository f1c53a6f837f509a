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

/** A fact as it travels, and what made it happen (the table of causes stands in the proto). */
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

/** Some facts about one issue. */
export interface IssueHappening {
  /** The issue after the change. */
  readonly subject: Issue;
  readonly assigneeIds: readonly number[];
  readonly facts: readonly IssueFact[];
  /** 0 when nobody did it. */
  readonly actorId: number;
  readonly occurredAt: Date;
}

/** Appends the events of a happening, in order, in the transaction that made them true. The row must be locked. */
export async function publishIssueFacts(tx: SqlExecutor, happening: IssueHappening): Promise<void> {
  const { subject, assigneeIds, facts, actorId, occurredAt } = happening;
  if (facts.length === 0) return;
  const [state] = await tx.query<{ sequence: number; labels: number[] }>(sql`
    select sequence, array(select label_id from issue_labels where issue_id = ${subject.id} order by label_id) as labels
    from directory.state`);
  const events = facts.map((fact) => {
    const wire = wireFact(fact, subject, assigneeIds);
    return {
      id: issueEventId(wire.fact.$case, subject.id, wire.cause),
      payload: {
        issue: {
          id: subject.id,
          iid: subject.iid,
          projectId: subject.projectId,
          authorId: subject.authorId,
          title: subject.title,
          confidential: subject.confidential,
          issueType: subject.issueType,
          assigneeIds: [...assigneeIds],
          version: subject.lockVersion,
          state: subject.state,
          labelIds: state?.labels ?? [],
        },
        actorId,
        occurredAt,
        // An import brings the issue in; whatever happens to it afterwards happens here.
        imported: fact.kind === 'created' && subject.importedFrom !== 'none',
        directorySequence: state?.sequence ?? 0,
        fact: wire.fact,
      },
    };
  });
  await appendAllToOutbox(tx, issueEvents, events);
}

/** Issues after an id as they stand now, as events without a fact; what `publishStates` reads. */
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
    const { id, iid, projectId, authorId, title, confidential, issueType, lockVersion, state, updatedAt } =
      toIssue(row);
    const { assignees: assigneeIds, labels: labelIds, sequence } = row;
    return {
      id,
      payload: {
        issue: {
          id,
          iid,
          projectId,
          authorId,
          title,
          confidential,
          issueType,
          assigneeIds,
          version: lockVersion,
          state,
          labelIds,
        },
        actorId: 0,
        occurredAt: updatedAt,
        imported: false,
        directorySequence: sequence ?? 0,
        fact: undefined,
      },
    };
  });
}
