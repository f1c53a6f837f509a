import { defineService } from '@switchyard/service';
import { composeAlerts } from './alerts';
import { variables } from './edges';
import { PrismaClient } from './generated/prisma/client';
import { composeHookBodies } from './hook-bodies';
import { composeIngestion } from './ingestion';
import { composeIntegrations } from './integrations';
import { composeMetricImages } from './metric-images';
import { migrationSets } from './migrations';

/** The service alerts: integrations, ingestion, alerts and images of metrics. */
export const service = defineService({
  name: 'alerts',
  variables,
  migrationSets,
  peers: ['groups-admin'],
  needs: { directory: true, blobs: true, prisma: PrismaClient },
  areas: (given) => [
    composeIntegrations(given),
    composeIngestion(given),
    composeAlerts(given),
    composeMetricImages(given),
    composeHookBodies(given),
    // New areas
  ],
});
