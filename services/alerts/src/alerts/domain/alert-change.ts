import { forbidden, invalid } from '@switchyard/errors';
import type { AlertStatus } from './alert';
import type { AlertSubject, StatusCause } from './alert-event';

/** An alert before a change: locked until the change is saved. */
export interface LockedAlert extends AlertSubject {
  readonly endedAt: Date | undefined;
  readonly assigneeIds: readonly number[];
  readonly issueId: number | undefined;
}

/** One step of a change; each increments the version and is one event. */
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

/** The steps of a change; without steps nothing is written. */
export interface AlertDecision {
  /** 0 when no user caused it. */
  readonly actorId: number;
  readonly steps: readonly AlertStep[];
}

/** What a decision about an alert may depend on, apart from the alert. */
export interface AlertFacts {
  /** The candidates who may read the alerts of the project; none where no candidates were given. */
  readonly readers: readonly number[];
  /** Whether issues can be opened in the project; false where the decision does not need it. */
  readonly takesIssues: boolean;
}

/** The facts that a decision needs. No others are looked up, since payloads of the project wait meanwhile. */
export interface AlertQuestions {
  /** Users to check for `readers`, at most `maxAssignees`. */
  readonly candidates?: (alert: LockedAlert) => readonly number[];
  readonly takesIssues?: true;
}

/** A change by a user; undefined fields stay as they are. */
export interface AlertChange {
  readonly status?: AlertStatus | undefined;
  readonly assigneeIds?: readonly number[] | undefined;
}

/** Most assignees of one alert. */
export const maxAssignees = 100;

/** New assignees whose access has to be looked up; none where there are so many that the change is refused anyway. */
export function assigneesToCheck(alert: LockedAlert, { assigneeIds = [] }: AlertChange): readonly number[] {
  const added = newAssignees(alert, assigneeIds);
  return added.length > maxAssignees ? [] : added;
}

/**
 * Sets status and assignees.
 * @param given.readers the new assignees who may read the alerts of the project; current assignees may stay
 * @throws AppError invalid for assignees who may not
 */
export function decideUpdate(
  alert: LockedAlert,
  { status, assigneeIds }: AlertChange,
  given: { readonly actorId: number; readonly readers: readonly number[]; readonly now: Date },
): AlertDecision {
  const wanted = assigneeIds ?? alert.assigneeIds;
  const added = newAssignees(alert, wanted);
  if (added.length > maxAssignees) {
    throw invalid({ assignee_ids: [`is too long (maximum is ${maxAssignees} users)`] });
  }
  const usersWithoutAccess = without(added, given.readers);
  if (usersWithoutAccess.length > 0) {
    throw invalid({ assignee_ids: usersWithoutAccess.map((id) => `${id} may not read the alerts of the project`) });
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
 * Requests an incident.
 * @throws AppError invalid when there is one; forbidden when issues are disabled, since no incident would be opened
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
 * Steps of a status that no payload set: a resolved alert ends now, a reopened one has not ended. No end is stored that
 * would make later payloads late.
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

const newAssignees = (alert: LockedAlert, wanted: readonly number[]): number[] => {
  const present = new Set(alert.assigneeIds);
  return [...new Set(wanted)].filter((id) => !present.has(id));
};

/** Users of one set that are not in another, in order. */
const without = (users: readonly number[], others: readonly number[]): number[] =>
  users.filter((id) => !others.includes(id));
