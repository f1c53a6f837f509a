import { forbidden, invalid } from '@switchyard/errors';
import type { AlertStatus } from './alert';
import type { AlertSubject, StatusCause } from './alert-event';

/** An alert as a change finds it: locked until the change is saved. */
export interface LockedAlert extends AlertSubject {
  readonly endedAt: Date | undefined;
  readonly assigneeIds: readonly number[];
  readonly issueId: number | undefined;
}

/** One step of a change; each counts the version up by one and is one event. */
export type AlertStep =
  | {
      readonly kind: 'status';
      readonly status: AlertStatus;
      /** Undefined for one that has not ended. */
      readonly endedAt: Date | undefined;
      readonly cause: StatusCause;
    }
  | {
      readonly kind: 'assignees';
      readonly addedAssigneeIds: readonly number[];
      readonly removedAssigneeIds: readonly number[];
    }
  | { readonly kind: 'incidentWanted' };

/** What a change comes to; without steps nothing is written. */
export interface AlertDecision {
  /** 0 when no user caused it. */
  readonly actorId: number;
  readonly steps: readonly AlertStep[];
}

/** A change by a user; what is undefined stays. */
export interface AlertChange {
  readonly status?: AlertStatus | undefined;
  readonly assigneeIds?: readonly number[] | undefined;
}

/** Assignees of one alert at the most. */
export const mostAssignees = 100;

/**
 * Sets status and assignees.
 * @param readers those of the wanted assignees who may read the alerts of the project; who is assigned already may stay
 * @throws AppError invalid for assignees who may not
 */
export function decideUpdate(
  alert: LockedAlert,
  { status, assigneeIds }: AlertChange,
  given: { readonly actorId: number; readonly readers: readonly number[]; readonly now: Date },
): AlertDecision {
  const wanted = assigneeIds === undefined ? alert.assigneeIds : [...new Set(assigneeIds)];
  const added = without(wanted, alert.assigneeIds);
  if (added.length > mostAssignees) {
    throw invalid({ assignee_ids: [`is too long (maximum is ${mostAssignees} users)`] });
  }
  const strangers = without(added, given.readers);
  if (strangers.length > 0) {
    throw invalid({ assignee_ids: strangers.map((id) => `${id} may not read the alerts of the project`) });
  }
  const removed = without(alert.assigneeIds, wanted);
  const assigned = { kind: 'assignees', addedAssigneeIds: added, removedAssigneeIds: removed } as const;
  return {
    actorId: given.actorId,
    steps: [
      ...(status === undefined ? [] : statusSteps(alert, status, 'user', given.now)),
      ...(added.length + removed.length === 0 ? [] : [assigned]),
    ],
  };
}

/**
 * Asks for an incident.
 * @throws AppError invalid when there is one; forbidden where the project takes no issues, since no incident would ever be opened
 */
export function decideIncidentRequest(
  alert: LockedAlert,
  { actorId, takesIssues }: { readonly actorId: number; readonly takesIssues: boolean },
): AlertDecision {
  if (alert.issueId !== undefined) throw invalid('An issue already exists');
  if (!takesIssues) throw forbidden('issues are disabled in the project');
  return { actorId, steps: [{ kind: 'incidentWanted' }] };
}

/** Resolves an alert whose incident was closed, at the time of the closing (G-4.12-12). */
export const decideIncidentClosed = (alert: LockedAlert, at: Date): AlertDecision => ({
  actorId: 0,
  steps: statusSteps(alert, 'resolved', 'incident', at),
});

/**
 * The status is set other than by a payload: an alert that is resolved ends now, one taken up again has not ended. No end is stored by
 * which later payloads would be late.
 */
function statusSteps(
  before: Pick<LockedAlert, 'status' | 'endedAt'>,
  status: AlertStatus,
  cause: StatusCause,
  now: Date,
): AlertStep[] {
  if (before.status === status) return [];
  if (status === 'resolved') return [{ kind: 'status', status, endedAt: now, cause }];
  return [{ kind: 'status', status, endedAt: before.status === 'resolved' ? undefined : before.endedAt, cause }];
}

/** Users of one set that are not in another, in order. */
const without = (users: readonly number[], others: readonly number[]): number[] =>
  users.filter((id) => !others.includes(id));
