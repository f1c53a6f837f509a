import { type Area, defineService } from '@switchyard/service';
import { composeCleanup } from './cleanup';
import { composeContents, verifyBlobs, withBoundedUploads } from './contents';
import { composeDuplicates } from './duplicates';
import { type Edges, variables } from './edges';
import { PrismaClient } from './generated/prisma/client';
import { composeGeneric } from './generic';
import { composeGolang } from './golang';
import { composeHelm } from './helm';
import { composeMaven } from './maven';
import { migrationSets } from './migrations';
import { composeNpm } from './npm';
import { composePackages } from './packages';
import { composeProtection } from './protection';
import { composePypi } from './pypi';
import { composeUploads } from './uploads';

/** Areas, those first on which others rest; the last ones are formats. */
function areas(given: Edges): Area[] {
  const contents = composeContents(given);
  const protection = composeProtection(given);
  const duplicates = composeDuplicates(given);
  const packages = composePackages(given, { contents, protection, duplicates });
  return [
    contents,
    protection,
    duplicates,
    packages,
    composeCleanup(given, { packages }),
    composeGeneric(given, { packages }),
    composeMaven(given, { packages, contents }),
    composePypi(given, { packages, contents }),
    composeNpm(given, { contents, packages, protection }),
    composeHelm(given, { packages, contents }),
    composeGolang(given),
    composeUploads(given, { contents, packages }),
    // New areas
  ];
}

/** The service packages: the registry of packages, the protocols of package managers, and files that texts link to. */
export const service = defineService({
  name: 'packages',
  variables,
  migrationSets,
  peers: ['groups-admin', 'imports-exports', 'merge-requests'],
  needs: { directory: true, blobs: true, prisma: PrismaClient },
  commands: { 'verify-blobs': verifyBlobs },
  areas: (given) => withBoundedUploads(areas(given)),
});
