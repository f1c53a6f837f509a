import { randomUUID } from 'node:crypto';
import type { Directory } from '@switchyard/directory';
import { AccessServiceService } from '@switchyard/protos/groups_admin/v1/access';
import type { Peer } from '@switchyard/rpc';
import { currentRequestId } from '@switchyard/telemetry';

/** Id of the project with a current or former path; undefined when there is none. */
export type LocateProject = (path: string) => Promise<number | undefined>;

/** Queries groups-admin, then waits until the replica has reached the sequence of the reply. */
export function projectLocation(groupsAdmin: Peer, directory: Directory): LocateProject {
  const client = groupsAdmin.client(AccessServiceService);
  return async (path) => {
    const options = { requestId: currentRequestId() ?? randomUUID(), idempotent: true, timeoutMs: 3_000 };
    const { projectId, directorySequence } = await client.locateProject({ path }, options);
    if (projectId === 0) return undefined;
    await directory.ensure(directorySequence);
    return projectId;
  };
}
