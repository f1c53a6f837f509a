import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccessServiceService } from '@switchyard/protos/groups_admin/v1/access';
import { implement } from '@switchyard/rpc';
import { type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { service } from '../../src/service';

export { externalUrl, json } from '@switchyard/testkit/installation';

/** alerts on real databases and a real event log, with a stand-in for groups-admin. */
export interface Installation extends TestInstallation {
  /**
   * Projects by path in lower case, as groups-admin finds them: also former paths, and paths that the replica does not
   * have yet.
   */
  readonly locations: Map<string, number>;
}

/** Starts the service and its peers in this process. */
export async function startInstallation(): Promise<Installation> {
  const locations = new Map<string, number>();
  const installation = await testInstallation({
    service,
    main: join(__dirname, '..', '..', 'dist', 'main.js'),
    callers: ['collaboration'],
    peers: (directory) => [
      implement(
        { locateProject: AccessServiceService.locateProject },
        {
          locateProject: async ({ path }) => ({
            projectId: locations.get(path.toLowerCase()) ?? 0,
            directorySequence: directory.changes.length,
          }),
        },
        { locateProject: { callers: ['alerts'] } },
      ),
    ],
    environment: (folder) => {
      const keyFile = join(folder, 'alert-digest.key');
      writeFileSync(keyFile, 'a1'.repeat(32));
      return { SWITCHYARD_ALERT_DIGEST_KEY_FILE: keyFile };
    },
  });
  return { ...installation, locations };
}
