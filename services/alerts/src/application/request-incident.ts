import { setTimeout as pause } from 'node:timers/promises';
import { forbidden, invalid, notFound } from '@switchyard/errors';
import { faultPoint } from '@switchyard/events';
import { appendAlertEvents } from '../storage/alert.events';
import type { LinkedIncident } from '../storage/alert.store';
import type { AlertEdges, AlertNumber } from './update-alert';

/** Milliseconds that a caller waits for the incident; events take some tens of them. */
const patienceMs = 5_000;

/** Milliseconds between two looks: the event may be taken by another process than this. */
const lookMs = 50;

/**
 * Asks for an incident of an alert and waits until collaboration has told of it; undefined when it takes longer, and when `signal` ends
 * the wait. Fails with `not_found`; with `invalid` when there is an incident; with `forbidden` where there are no issues.
 */
export const requestIncident =
  ({ db, alerts, clock, directorySequence }: AlertEdges) =>
  async (actorId: number, key: AlertNumber, signal: AbortSignal): Promise<LinkedIncident | undefined> => {
    await db.transaction(async (tx) => {
      const alert = await alerts.lockOfProject(tx, key.projectId, key.iid);
      if (alert === undefined) throw notFound('Alert');
      if (alert.issueId !== undefined) throw invalid('An issue already exists');
      // Collaboration would open none, and nobody would tell.
      if (!(await alerts.takesIssues(tx, key.projectId))) throw forbidden('issues are disabled in the project');
      const now = clock();
      await alerts.touch(tx, alert.id, now);
      const happening = { kind: 'incidentWanted', details: await alerts.details(tx, alert.id) } as const;
      const after = { ...alert, version: alert.version + 1 };
      await appendAlertEvents(tx, [{ alert: after, actorId, occurredAt: now, happening }], directorySequence());
      faultPoint('alert.written');
    });
    faultPoint('alert.committed');
    const giveUpAt = Date.now() + patienceMs;
    while (!signal.aborted && Date.now() < giveUpAt) {
      const incident = await alerts.incidentOf(key.projectId, key.iid);
      if (incident !== undefined) return incident;
      await pause(lookMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  };
