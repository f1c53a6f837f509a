import { join } from 'node:path';
import { type Area, defineService } from '@switchyard/service';
import { composeDependencyListExports } from './dependency-list-exports';
import { type Edges, variables } from './edges';
import { PrismaClient } from './generated/prisma/client';
import { composeReports } from './reports';

/** Areas, those first on which others rest. Imports (api.md 4.19) are areas of their own beside them. */
function areas(given: Edges): Area[] {
  const reports = composeReports(given);
  return [
    reports,
    composeDependencyListExports(given, { reports }),
    // New areas
  ];
}

/** The service imports-exports: what projects are built from, on its way out. */
export const service = defineService({
  name: 'imports-exports',
  variables,
  migrations: join(__dirname, '..', 'prisma', 'migrations'),
  peers: ['groups-admin', 'merge-requests'],
  needs: { directory: true, blobs: true, prisma: PrismaClient },
  areas,
});
