import type { Area } from '@switchyard/service';
import { gauge, logger } from '@switchyard/telemetry';
import type { Edges } from '../edges';
import { alertEndpointStore, httpIntegrationStore, integrationDigest, sampleReader } from '../integrations';
import { alertWriter } from './application/alert-writer';
import { previewPayload } from './application/preview-payload';
import { pruneReceivedAlerts } from './application/prune-received-alerts';
import { receiveAlerts } from './application/receive-alerts';
import { alertIngest } from './storage/alert.ingest';
import { alertRetention } from './storage/alert-retention.store';
import { ingestionHandler } from './transport/ingestion.handler';
import { projectLocation } from './transport/project-location.client';
import { trialHandler } from './transport/trial.handler';

/** Builds the ingestion of payloads. */
export function composeIngestion({ db, config, directory, peer, clock, observe }: Edges): Area {
  const endpoints = alertEndpointStore(db);
  const writer = alertWriter(alertIngest(db, directory.sequence), { log: logger });
  const payloadLimit = config.SWITCHYARD_ALERT_PAYLOAD_LIMIT;
  const useCases = observe('alerts', {
    ...receiveAlerts({
      endpoints,
      locateProject: projectLocation(peer('groups-admin'), directory),
      writer,
      keyDigest: integrationDigest(config),
      payloadLimit,
      clock,
    }),
    previewPayload: previewPayload({
      endpoints,
      integrations: httpIntegrationStore(db),
      readSample: sampleReader(payloadLimit),
      clock,
    }),
  });
  return {
    services: [ingestionHandler(useCases), trialHandler(useCases)],
    start: () => {
      const waiting = { name: 'switchyard_alert_items_waiting', help: 'Items of payloads that wait to be written' };
      const unmeasure = gauge(waiting, async () => [{ value: writer.waiting() }]);
      return [pruneReceivedAlerts(alertRetention(db)), { close: async () => unmeasure() }];
    },
  };
}
