import type { Route } from '../../http/route';
import { genericPackageRoutes } from './generic-packages.routes';
import { golangRoutes } from './golang.routes';
import { helmRoutes } from './helm.routes';
import { mavenPackageRoutes } from './maven-packages.routes';
import { npmRoutes } from './npm.routes';
import { packageCleanupRoutes } from './package-cleanup.routes';
import { packageProtectionRoutes } from './package-protection.routes';
import { packageSettingsRoutes } from './package-settings.routes';
import { packageRoutes } from './packages.routes';
import { pypiPackageRoutes } from './pypi-packages.routes';
import { uploadRoutes } from './uploads.routes';

/** What the service packages serves. */
export const routes: readonly Route[] = [
  ...packageProtectionRoutes,
  ...packageCleanupRoutes,
  ...packageSettingsRoutes,
  ...packageRoutes,
  ...genericPackageRoutes,
  ...mavenPackageRoutes,
  ...npmRoutes,
  ...pypiPackageRoutes,
  ...golangRoutes,
  ...helmRoutes,
  ...uploadRoutes,
];

/** Files stream through its internal HTTP server. */
export const forwards = true;
