import { DirectoryServiceService } from '@switchyard/protos/groups_admin/v1/directory';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { DirectoryModel } from './directory-model';

/** The directory's gRPC service over a model, for one process that follows it. */
export function directoryService(model: DirectoryModel, follower: string): ServiceImplementation {
  const rule = { callers: [follower] };
  return implement(
    DirectoryServiceService,
    {
      readChanges: (request, { signal }) => model.client.readChanges(request, { requestId: 'test', signal }),
      snapshot: (request) => model.client.snapshot(request, { requestId: 'test' }),
    },
    { readChanges: rule, snapshot: rule },
  );
}
