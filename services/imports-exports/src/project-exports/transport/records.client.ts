import { isAppError, unavailable } from '@switchyard/errors';
import { ProjectRecordServiceService } from '@switchyard/protos/rpc/v1/project_record';
import type { Peer, RpcClient } from '@switchyard/rpc';
import type { RecordOwner } from '../domain/project-export';

type Records = Pick<RpcClient<typeof ProjectRecordServiceService>, 'readProjectRecords' | 'writeProjectRecords'>;

/** `invalid_params` says that the service does not know the kind: one of the release before, which is soon replaced. */
const later = (error: unknown): never => {
  throw isAppError(error, 'invalid_params') ? unavailable(error) : error;
};

/** The records of projects that a service owns. Fails with `unavailable` for a kind that it does not know yet. */
export function recordsOf(owner: Peer): Records {
  const client = owner.client(ProjectRecordServiceService);
  return {
    readProjectRecords: (...request) => client.readProjectRecords(...request).catch(later),
    writeProjectRecords: (...request) => client.writeProjectRecords(...request).catch(later),
  };
}

/** The same of every owner. */
export const recordsByOwner = (peer: (owner: RecordOwner) => Peer): Readonly<Record<RecordOwner, Records>> => ({
  'groups-admin': recordsOf(peer('groups-admin')),
  'merge-requests': recordsOf(peer('merge-requests')),
  collaboration: recordsOf(peer('collaboration')),
});
