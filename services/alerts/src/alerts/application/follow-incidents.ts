import type { Tx } from '@switchyard/database';
import { decideIncidentClosed } from '../domain/alert-change';
import type { AlertStore, LinkedIncident } from './alert.ports';

/** What following incidents needs. */
export interface IncidentFollowing {
  readonly alerts: Pick<AlertStore, 'link' | 'relink' | 'unlink' | 'changeOfIncident'>;
  /** The user in whose name alerts close incidents. */
  readonly alertBotId: (tx: Tx) => Promise<number | undefined>;
}

/** What happened to an issue, as far as alerts are concerned. */
export type IncidentHappening =
  | { readonly kind: 'created'; readonly alertId: number; readonly movedFromId: number }
  | { readonly kind: 'moved'; readonly to: LinkedIncident }
  | { readonly kind: 'closed'; readonly actorId: number; readonly at: Date }
  | { readonly kind: 'deleted' };

/**
 * Ties alerts to the incidents that collaboration publishes, and resolves an alert whose incident a user closed (G-4.12-12), within the
 * transaction that consumes the event. Events of the issue that an incident moved to may come before those of the one it was.
 */
export const followIncidents =
  ({ alerts, alertBotId }: IncidentFollowing) =>
  async (tx: Tx, issue: LinkedIncident, happening: IncidentHappening): Promise<void> => {
    switch (happening.kind) {
      case 'created':
        return alerts.link(tx, happening.alertId, issue, happening.movedFromId);
      case 'moved':
        return alerts.relink(tx, issue.id, happening.to);
      case 'deleted':
        return alerts.unlink(tx, issue.id);
      case 'closed':
        // What the alert's own end closed says nothing new: a user may have taken the alert up again since.
        if (happening.actorId === (await alertBotId(tx))) return;
        return alerts.changeOfIncident(tx, issue.id, (alert) => decideIncidentClosed(alert, happening.at));
    }
  };
