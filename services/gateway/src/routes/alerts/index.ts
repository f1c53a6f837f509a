import type { Route } from '../../http/route';
import { alertSettingsRoutes } from './alert-settings.routes';
import { alertRoutes } from './alerts.routes';
import { httpIntegrationRoutes } from './http-integrations.routes';
import { metricImageRoutes } from './metric-images.routes';

/** Some routes forward to the internal HTTP server of the service. */
export const forwards = true;

/** What the service alerts serves. */
export const routes: readonly Route[] = [
  ...httpIntegrationRoutes,
  ...alertSettingsRoutes,
  ...alertRoutes,
  ...metricImageRoutes,
];
