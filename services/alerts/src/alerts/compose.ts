import { alertBotId } from '@switchyard/directory';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { followIncidents } from './application/follow-incidents';
import { purgeAlerts } from './application/purge-alerts';
import { requestIncident } from './application/request-incident';
import { updateAlert } from './application/update-alert';
import { alertList } from './storage/alert.list';
import { alertStore } from './storage/alert.store';
import { alertPurge } from './storage/alert-purge.store';
import { alertReceiptStore } from './storage/alert-receipt.store';
import { forgetEnvironment, keepEnvironment } from './storage/environment.store';
import { alertHandler } from './transport/alert.handler';
import { alertTargetHandler } from './transport/alert-target.handler';
import { environmentSubscription } from './transport/environment.subscription';
import { incidentSubscription } from './transport/incident.subscription';

/** Builds the area: alerts as users and incidents change them. */
export function composeAlerts({ db, config, directory, clock, observe }: Edges): Area {
  const lists = alertList(db);
  const alerts = alertStore(db, { clock, directorySequence: directory.sequence });
  const useCases = observe('alerts', {
    listAlerts: lists.page,
    findAlert: lists.find,
    updateAlert: updateAlert({ alerts, clock }),
    requestIncident: requestIncident({ alerts }),
    findReceipt: alertReceiptStore(db).find,
    alertsByIds: lists.byIds,
    findReadableAlert: lists.findReadable,
    followIncidents: followIncidents({ alerts, alertBotId }),
  });
  const draining = new AbortController();
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  return {
    services: [alertHandler(useCases, externalUrl, draining.signal), alertTargetHandler(useCases, externalUrl)],
    consumers: [
      { group: 'alerts.issues', subscriptions: [incidentSubscription(useCases.followIncidents)] },
      { group: 'alerts.environments', subscriptions: [environmentSubscription(keepEnvironment, forgetEnvironment)] },
    ],
    start: () => [purgeAlerts(alertPurge(db))],
    drain: () => draining.abort(),
  };
}
