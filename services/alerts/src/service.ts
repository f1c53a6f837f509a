import { join } from 'node:path';
import { defineService } from '@switchyard/service';
import { composeAlerts } from './alerts';
import { variables } from './edges';
import { PrismaClient } from './generated/prisma/client';
import { composeHookBodies } from './hook-bodies';
import { composeIngestion } from './ingestion';
import { composeIntegrations } from './integrations';
import { composeMetricImages } from './metric-images';

/** The service alerts: integrations, ingestion, alerts and images of metrics. */
export const service = defineService({
  name: 'alerts',
  variables,
  migrations: join(__dirname, '..', 'prisma', 'migrations'),
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
