import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { integrationDigest } from './application/integration-key';
import { manageHttpIntegrations } from './application/manage-http-integrations';
import { sampleReader } from './application/read-sample';
import { alertSettingsStore } from './storage/alert-settings.store';
import { httpIntegrationStore } from './storage/http-integration.store';
import { alertSettingsHandler } from './transport/alert-settings.handler';
import { httpIntegrationHandler } from './transport/http-integration.handler';

/** Builds integrations and settings. */
export function composeIntegrations({ db, prisma, config, observe }: Edges): Area {
  const settings = alertSettingsStore(prisma);
  const integrations = observe(
    'http_integrations',
    manageHttpIntegrations({
      integrations: httpIntegrationStore(db),
      digest: integrationDigest(config),
      readSample: sampleReader(config.SWITCHYARD_ALERT_PAYLOAD_LIMIT),
    }),
  );
  return {
    services: [
      httpIntegrationHandler(integrations, config.SWITCHYARD_EXTERNAL_URL),
      alertSettingsHandler(observe('alert_settings', { getSettings: settings.get, updateSettings: settings.update })),
    ],
  };
}
