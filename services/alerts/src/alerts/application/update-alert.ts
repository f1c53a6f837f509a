import { notFound } from '@switchyard/errors';
import type { AlertNumber } from '../domain/alert';
import { type AlertChange, assigneesToCheck, decideUpdate } from '../domain/alert-change';
import type { AlertStore } from './alert.ports';

/**
 * Sets status and assignees by hand and publishes it.
 * Fails with `not_found`, `invalid`; with `conflict` when an alert is reopened while another one has its fingerprint.
 */
export const updateAlert =
  ({ alerts, clock }: { readonly alerts: Pick<AlertStore, 'change'>; readonly clock: () => Date }) =>
  async (actorId: number, at: AlertNumber, change: AlertChange): Promise<void> => {
    const found = await alerts.change(
      at,
      { candidates: (alert) => assigneesToCheck(alert, change) },
      (alert, { readers }) => decideUpdate(alert, change, { actorId, readers, now: clock() }),
    );
    if (!found) throw notFound('Alert');
  };
