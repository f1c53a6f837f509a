import { logger, observe } from '@switchyard/telemetry';
import { alertWriter } from './application/alert-writer';
import { keyDigest } from './application/integration-key';
import { pruneAlertRemains } from './application/prune-alert-remains';
import { receiveAlerts } from './application/receive-alerts';
import type { Area, AreaEdges } from './area';
import { alertIngest } from './storage/alert.ingest';
import { alertEndpointStore } from './storage/alert-endpoint.store';
import { alertRemains } from './storage/alert-remains.store';
import { ingestionHandler } from './transport/ingestion.handler';
import { projectLocation } from './transport/project-location.client';

/** Builds the reception of payloads. */
export function composeIngestion({ db, config, directory, groupsAdmin, clock }: AreaEdges): Area {
  const useCases = observe(
    'alerts',
    receiveAlerts({
      endpoints: alertEndpointStore(db),
      locateProject: projectLocation(groupsAdmin, directory),
      writer: alertWriter(alertIngest(db, directory.sequence), { log: logger }),
      keyDigest: keyDigest(config.SWITCHYARD_SECRET),
      payloadLimit: config.SWITCHYARD_ALERT_PAYLOAD_LIMIT,
      clock,
    }),
  );
  return {
    services: [ingestionHandler(useCases)],
    start: async () => [pruneAlertRemains(alertRemains(db), logger)],
  };
}
