import type { Route } from '../../http/route';
import { dependencyListExportRoutes } from './dependency-list-exports.routes';
import { dependencyReportRoutes } from './dependency-reports.routes';
import { forgebImportRoutes } from './forgeb-imports.routes';
import { gistImportRoutes } from './gist-imports.routes';
import { importPlaceholderRoutes } from './import-placeholders.routes';
import { importRefreshRoutes } from './import-refreshes.routes';
import { projectExportRoutes } from './project-exports.routes';
import { projectImportRoutes } from './project-imports.routes';

/** What the service imports-exports serves. */
export const routes: readonly Route[] = [
  ...dependencyReportRoutes,
  ...dependencyListExportRoutes,
  ...projectExportRoutes,
  ...projectImportRoutes,
  ...forgebImportRoutes,
  ...importRefreshRoutes,
  ...importPlaceholderRoutes,
  ...gistImportRoutes,
];

/** Reports and files of exports stream through its internal HTTP server. */
export const forwards = true;
