import type { Database, Tx } from '@switchyard/database';
import { conflict, invalid, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { AlertStatus } from '../domain/alert';
import { changeStatus, without } from '../domain/alert-change';
import { type AlertOccurrence, appendAlertEvents } from '../storage/alert.events';
import { type AlertStore, isFingerprintTaken, type LockedAlert } from '../storage/alert.store';

faultPoints.push('alert.written', 'alert.committed');

/** What changes of alerts by hand need. */
export interface AlertEdges {
  readonly db: Database;
  readonly alerts: AlertStore;
  readonly clock: () => Date;
  /** How far this service has followed the directory. */
  readonly directorySequence: () => number;
}

/** Which alert. */
export interface AlertNumber {
  readonly projectId: number;
  readonly iid: number;
}

/** A change by hand; what is undefined stays. */
export interface AlertChange {
  readonly status?: AlertStatus | undefined;
  readonly assigneeIds?: readonly number[] | undefined;
}

/** Assignees of one alert at the most. */
const mostAssignees = 100;

async function checkAssignees(
  tx: Tx,
  { alerts }: AlertEdges,
  projectId: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length > mostAssignees) throw invalid({ assignee_ids: [`is too long (maximum is ${mostAssignees} users)`] });
  const strangers = without(ids, await alerts.readers(tx, projectId, ids));
  if (strangers.length > 0) {
    throw invalid({ assignee_ids: strangers.map((id) => `${id} may not read the alerts of the project`) });
  }
}

/**
 * Sets status and assignees by hand, and tells of it.
 * Fails with `not_found`, `invalid`; with `conflict` when an alert is taken up again while another one has its fingerprint.
 */
export const updateAlert =
  (edges: AlertEdges) =>
  async (actorId: number, { projectId, iid }: AlertNumber, { status, assigneeIds }: AlertChange): Promise<void> => {
    const { db, alerts, clock } = edges;
    const wanted = assigneeIds === undefined ? undefined : [...new Set(assigneeIds)];
    const change = db.transaction(async (tx) => {
      let alert = await alerts.lockOfProject(tx, projectId, iid);
      if (alert === undefined) throw notFound('Alert');
      if (wanted !== undefined) await checkAssignees(tx, edges, projectId, without(wanted, alert.assigneeIds));
      const now = clock();
      const occurrences: AlertOccurrence[] = [];
      const happened = { actorId, occurredAt: now };
      const next = status === undefined ? undefined : changeStatus(alert, status, now);
      if (next !== undefined) {
        await alerts.setStatus(tx, alert.id, next, now);
        const { status: previous } = alert;
        alert = { ...alert, ...next, version: alert.version + 1 };
        occurrences.push({
          ...happened,
          alert,
          happening: { kind: 'statusChanged', previous, cause: 'user', closeIncident: false },
        });
      }
      const assigned = wanted === undefined ? undefined : assignment(alert, wanted);
      if (assigned !== undefined) {
        await alerts.setAssignees(tx, alert.id, assigned.addedAssigneeIds, assigned.removedAssigneeIds, now);
        alert = { ...alert, version: alert.version + 1 };
        occurrences.push({ ...happened, alert, happening: { kind: 'assigned', ...assigned } });
      }
      await appendAlertEvents(tx, occurrences, edges.directorySequence());
      faultPoint('alert.written');
    });
    await change.catch((error: unknown) => {
      throw isFingerprintTaken(error) ? conflict('Another unresolved alert has the same fingerprint') : error;
    });
    faultPoint('alert.committed');
  };

function assignment({ assigneeIds }: LockedAlert, wanted: readonly number[]) {
  const addedAssigneeIds = without(wanted, assigneeIds);
  const removedAssigneeIds = without(assigneeIds, wanted);
  return addedAssigneeIds.length + removedAssigneeIds.length === 0
    ? undefined
    : { addedAssigneeIds, removedAssigneeIds };
}
