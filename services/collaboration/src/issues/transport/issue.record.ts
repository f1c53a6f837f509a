import { z } from '@switchyard/config';
import type { ImportedPeople } from '@switchyard/directory';
import { recordFields, timelogRecords, toImportedTimelogs } from '@switchyard/service';
import { healthStatuses } from '@switchyard/texts';
import { issueSeverities, issueTypes } from '../domain/issue';
import type { ImportedIssue } from '../domain/issue-import';

const { iid, text, body, user, names, count, date, time } = recordFields;

/** An issue, incident or task as an archive has it (ADR 60). */
export const issueRecord = z.object({
  iid,
  title: text(255),
  description: body.nullable(),
  state: z.enum(['opened', 'closed']),
  issue_type: z.enum(issueTypes),
  confidential: z.boolean(),
  severity: z.enum(issueSeverities),
  discussion_locked: z.boolean().nullable(),
  author: user,
  assignees: names,
  // The first archives do not say who takes part.
  participants: names.default([]),
  internal_participants: names.default([]),
  labels: names,
  milestone: text(255).nullable(),
  due_date: date.nullable(),
  weight: count.nullable(),
  health_status: z.enum(healthStatuses).nullable(),
  time_estimate: count,
  total_time_spent: count,
  time_logs: timelogRecords,
  closed_by: user,
  closed_at: time.nullable(),
  created_at: time,
  updated_at: time,
});

/** An issue of an archive. */
export type IssueRecord = z.infer<typeof issueRecord>;

/** Names of the people of an issue. */
export const peopleIn = (record: IssueRecord): (string | null)[] => [
  ...[record.author, record.closed_by, ...record.assignees],
  ...[...record.participants, ...record.internal_participants],
  ...record.time_logs.map(({ user: name }) => name),
];

/** An issue of an archive with its people as users. */
export function toImported(record: IssueRecord, people: ImportedPeople): ImportedIssue {
  const authorId = people.writer(record.author);
  const { created_at: createdAt, updated_at: updatedAt } = record;
  return {
    ...{ iid: record.iid, title: record.title, labels: record.labels, authorId, createdAt, updatedAt },
    description: record.description || undefined,
    closedAt: record.state === 'closed' ? (record.closed_at ?? updatedAt) : undefined,
    milestone: record.milestone === null ? undefined : { title: record.milestone },
    assigneeIds: people.users(record.assignees),
    locked: false,
    more: {
      issueType: record.issue_type,
      confidential: record.confidential,
      severity: record.severity,
      discussionLocked: record.discussion_locked ?? undefined,
      dueDate: record.due_date ?? undefined,
      weight: record.weight ?? undefined,
      healthStatus: record.health_status ?? undefined,
      timeEstimate: record.time_estimate,
      totalTimeSpent: record.total_time_spent,
      timelogs: toImportedTimelogs(record.time_logs, people),
      closedById: people.user(record.closed_by),
      participantIds: people.users(record.participants),
      internalParticipantIds: people.users(record.internal_participants),
    },
  };
}
