import { gauge, logger, observe } from '@switchyard/telemetry';
import { alertWriter } from './application/alert-writer';
import { previewPayload } from './application/preview-payload';
import { pruneAlertRemains } from './application/prune-alert-remains';
import { sampleReader } from './application/read-sample';
import { receiveAlerts } from './application/receive-alerts';
import type { Area, AreaEdges } from './area';
import { alertIngest } from './storage/alert.ingest';
import { alertEndpointStore } from './storage/alert-endpoint.store';
import { alertRemains } from './storage/alert-remains.store';
import { httpIntegrationStore } from './storage/http-integration.store';
import { ingestionHandler } from './transport/ingestion.handler';
import { projectLocation } from './transport/project-location.client';
import { trialHandler } from './transport/trial.handler';

/** Builds the reception of payloads. */
export function composeIngestion({ db, config, directory, groupsAdmin, clock, digest }: AreaEdges): Area {
  const endpoints = alertEndpointStore(db);
  const writer = alertWriter(alertIngest(db, directory.sequence), { log: logger });
  const useCases = observe(
    'alerts',
    receiveAlerts({
      endpoints,
      locateProject: projectLocation(groupsAdmin, directory),
      writer,
      keyDigest: digest,
      payloadLimit: config.SWITCHYARD_ALERT_PAYLOAD_LIMIT,
      clock,
    }),
  );
  const { previewPayload: preview } = observe('alerts', {
    previewPayload: previewPayload({
      endpoints,
      integrations: httpIntegrationStore(db),
      readSample: sampleReader(config.SWITCHYARD_ALERT_PAYLOAD_LIMIT),
      clock,
    }),
  });
  return {
    services: [ingestionHandler(useCases), trialHandler({ ...useCases, previewPayload: preview })],
    start: async () => {
      const waiting = { name: 'switchyard_alert_items_waiting', help: 'Items of payloads that wait to be written' };
      const unmeasure = gauge(waiting, async () => [{ value: writer.waiting() }]);
      return [pruneAlertRemains(alertRemains(db)), { close: async () => unmeasure() }];
    },
  };
}
