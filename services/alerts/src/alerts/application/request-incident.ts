import { setTimeout as pause } from 'node:timers/promises';
import { notFound } from '@switchyard/errors';
import type { AlertNumber, LinkedIncident } from '../domain/alert';
import { decideIncidentRequest } from '../domain/alert-change';
import type { AlertStore } from './alert.ports';

/** Milliseconds that a caller waits for the incident; events take some tens of milliseconds. */
const timeoutMs = 5_000;

/** Milliseconds between two polls: another process may handle the event. */
const pollIntervalMs = 50;

/**
 * Requests an incident of an alert and waits until collaboration has published it. Undefined after the timeout, and
 * when `signal` ends the wait. Fails with `not_found`; with `invalid` when there is an incident; with `forbidden` where
 * there are no issues.
 */
export const requestIncident =
  ({ alerts }: { readonly alerts: Pick<AlertStore, 'change' | 'incidentOf'> }) =>
  async (actorId: number, at: AlertNumber, signal: AbortSignal): Promise<LinkedIncident | undefined> => {
    const found = await alerts.change(at, { takesIssues: true }, (alert, { takesIssues }) =>
      decideIncidentRequest(alert, { actorId, takesIssues }),
    );
    if (!found) throw notFound('Alert');
    const deadline = Date.now() + timeoutMs;
    while (!signal.aborted && Date.now() < deadline) {
      const incident = await alerts.incidentOf(at.projectId, at.iid);
      if (incident !== undefined) return incident;
      await pause(pollIntervalMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  };
