import { observe } from '@switchyard/telemetry';
import { manageHttpIntegrations } from './application/manage-http-integrations';
import { sampleReader } from './application/read-sample';
import type { Area, AreaEdges } from './area';
import { alertSettingsStore } from './storage/alert-settings.store';
import { httpIntegrationStore } from './storage/http-integration.store';
import { openPrisma } from './storage/prisma';
import { alertSettingsHandler } from './transport/alert-settings.handler';
import { httpIntegrationHandler } from './transport/http-integration.handler';

/** Builds integrations and settings. */
export function composeIntegrations({ db, config, digest }: AreaEdges): Area {
  const prisma = openPrisma(db);
  const settings = alertSettingsStore(prisma);
  const integrations = observe(
    'http_integrations',
    manageHttpIntegrations({
      db,
      integrations: httpIntegrationStore(db),
      digest,
      readSample: sampleReader(config.SWITCHYARD_ALERT_PAYLOAD_LIMIT),
    }),
  );
  return {
    services: [
      httpIntegrationHandler(integrations, config.SWITCHYARD_EXTERNAL_URL),
      alertSettingsHandler(observe('alert_settings', { getSettings: settings.get, updateSettings: settings.update })),
    ],
    close: () => prisma.$disconnect(),
  };
}
