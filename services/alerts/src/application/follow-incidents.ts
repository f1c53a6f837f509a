import type { Tx } from '@switchyard/database';
import { changeStatus } from '../domain/alert-change';
import { appendAlertEvents } from '../storage/alert.events';
import type { AlertStore, LinkedIncident } from '../storage/alert.store';

/** What following incidents needs. */
export interface IncidentFollowing {
  readonly alerts: Pick<AlertStore, 'link' | 'relink' | 'unlink' | 'lockOfIncident' | 'setStatus'>;
  /** The user in whose name alerts close incidents. */
  readonly alertBotId: (tx: Tx) => Promise<number | undefined>;
  readonly directorySequence: () => number;
}

/** What happened to an issue, as far as alerts are concerned. */
export type IncidentHappening =
  | { readonly kind: 'created'; readonly alertId: number; readonly movedFromId: number }
  | { readonly kind: 'moved'; readonly to: LinkedIncident }
  | { readonly kind: 'closed'; readonly actorId: number; readonly at: Date }
  | { readonly kind: 'deleted' };

/**
 * Ties alerts to the incidents that collaboration tells of, and resolves an alert whose incident somebody closed (G-4.12-12), within the
 * transaction that takes note of the event. Events of the issue that an incident moved to may come before those of the one it was.
 */
export const followIncidents =
  ({ alerts, alertBotId, directorySequence }: IncidentFollowing) =>
  async (tx: Tx, issue: LinkedIncident, happening: IncidentHappening): Promise<void> => {
    switch (happening.kind) {
      case 'created':
        return alerts.link(tx, happening.alertId, issue, happening.movedFromId);
      case 'moved':
        return alerts.relink(tx, issue.id, happening.to);
      case 'deleted':
        return alerts.unlink(tx, issue.id);
      case 'closed':
        return resolve(happening.actorId, happening.at);
    }

    async function resolve(actorId: number, at: Date): Promise<void> {
      const alert = await alerts.lockOfIncident(tx, issue.id);
      const next = alert && changeStatus(alert, 'resolved', at);
      // What the alert's own end closed says nothing new: somebody may have taken the alert up again since.
      if (alert === undefined || next === undefined || actorId === (await alertBotId(tx))) return;
      const now = new Date();
      await alerts.setStatus(tx, alert.id, next, now);
      const happened = {
        alert: { ...alert, ...next, version: alert.version + 1 },
        actorId: 0,
        occurredAt: now,
        happening: { kind: 'statusChanged', previous: alert.status, cause: 'incident', closeIncident: false },
      } as const;
      await appendAlertEvents(tx, [happened], directorySequence());
    }
  };
