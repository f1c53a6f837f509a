import type { Tx } from '@switchyard/database';
import type { LinkedIncident } from '../domain/alert';
import { decideIncidentClosed } from '../domain/alert-change';
import type { AlertStore } from './alert.ports';

/** What following incidents needs. */
export interface IncidentFollowerEdges {
  readonly alerts: Pick<AlertStore, 'link' | 'relink' | 'unlink' | 'changeOfIncident'>;
  /** The user in whose name alerts close incidents. */
  readonly alertBotId: (tx: Tx) => Promise<number | undefined>;
}

/** An event of an issue that matters to alerts. */
export type IncidentEvent =
  | { readonly kind: 'created'; readonly alertId: number; readonly movedFromId: number }
  | { readonly kind: 'moved'; readonly to: LinkedIncident }
  | { readonly kind: 'closed'; readonly actorId: number; readonly at: Date }
  | { readonly kind: 'deleted' };

/**
 * Links alerts to the incidents that collaboration publishes, and resolves an alert whose incident a user closed
 * (G-4.12-12), in the transaction of the event. Events of the new issue of a moved incident may arrive before those of
 * the old one.
 */
export const followIncidents =
  ({ alerts, alertBotId }: IncidentFollowerEdges) =>
  async (tx: Tx, issue: LinkedIncident, event: IncidentEvent): Promise<void> => {
    switch (event.kind) {
      case 'created':
        return alerts.link(tx, event.alertId, issue, event.movedFromId);
      case 'moved':
        return alerts.relink(tx, issue.id, event.to);
      case 'deleted':
        return alerts.unlink(tx, issue.id);
      case 'closed':
        // Closed by the end of the alert itself: a user may have reopened the alert since.
        if (event.actorId === (await alertBotId(tx))) return;
        return alerts.changeOfIncident(tx, issue.id, (alert) => decideIncidentClosed(alert, event.at));
    }
  };
