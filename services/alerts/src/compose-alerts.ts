import { alertBotId } from '@switchyard/directory';
import { startConsumer } from '@switchyard/events';
import { observe } from '@switchyard/telemetry';
import { followIncidents } from './application/follow-incidents';
import { purgeAlerts } from './application/purge-alerts';
import { requestIncident } from './application/request-incident';
import { updateAlert } from './application/update-alert';
import type { Area, AreaEdges } from './area';
import { alertList } from './storage/alert.list';
import { alertStore } from './storage/alert.store';
import { alertPurge } from './storage/alert-purge.store';
import { alertReceiptStore } from './storage/alert-receipt.store';
import { alertHandler } from './transport/alert.handler';
import { alertTargetHandler } from './transport/alert-target.handler';
import { incidentSubscription } from './transport/incident.subscription';

/** Builds alerts as people handle them, and what incidents do to them. */
export function composeAlerts({ db, bus, config, directory, clock }: AreaEdges): Area {
  const lists = alertList(db);
  const alerts = alertStore(db);
  const edges = { db, alerts, clock, directorySequence: directory.sequence };
  const useCases = observe('alerts', {
    listAlerts: lists.page,
    findAlert: lists.find,
    updateAlert: updateAlert(edges),
    requestIncident: requestIncident(edges),
    findReceipt: alertReceiptStore(db).find,
    alertsByIds: lists.byIds,
    findReadableAlert: lists.findReadable,
    followIncidents: followIncidents({ alerts, alertBotId, directorySequence: directory.sequence }),
  });
  const draining = new AbortController();
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  return {
    services: [alertHandler(useCases, externalUrl, draining.signal), alertTargetHandler(useCases, externalUrl)],
    start: async () => [
      await startConsumer({
        bus,
        db,
        group: 'alerts.issues',
        subscriptions: [incidentSubscription(useCases.followIncidents)],
      }),
      purgeAlerts(alertPurge(db)),
    ],
    drain: () => draining.abort(),
  };
}
