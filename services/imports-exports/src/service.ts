import { type Area, defineService } from '@switchyard/service';
import { composeArchiveImports } from './archive-imports';
import { composeDependencyListExports } from './dependency-list-exports';
import { type Edges, variables } from './edges';
import { rotateSecrets } from './forges';
import { PrismaClient } from './generated/prisma/client';
import { composeGistImports } from './gist-imports';
import { migrationSets } from './migrations';
import { composePlaceholders } from './placeholders';
import { composeProjectExports } from './project-exports';
import { composeProjectImports, listImports } from './project-imports';
import { composeReports } from './reports';

/** Areas, those first on which others rest. */
function areas(given: Edges): Area[] {
  const reports = composeReports(given);
  const placeholders = composePlaceholders(given);
  const archiveImports = composeArchiveImports(given, { ...reports, ...placeholders });
  return [
    reports,
    composeDependencyListExports(given, { reports }),
    composeProjectExports(given, reports),
    placeholders,
    composeProjectImports(given, {
      ...placeholders,
      cancelArchive: archiveImports.cancel,
      failuresOfArchive: archiveImports.failures,
    }),
    archiveImports,
    composeGistImports(given),
    // New areas
  ];
}

/** The service imports-exports: projects that come in from other forges and go out as files, and what they are built from. */
export const service = defineService({
  name: 'imports-exports',
  variables,
  migrationSets,
  peers: ['groups-admin', 'merge-requests', 'collaboration', 'packages'],
  needs: { directory: true, blobs: true, prisma: PrismaClient },
  commands: { imports: listImports, 'rotate-secrets': rotateSecrets },
  areas,
});
