import { directoryFormat as format } from '@switchyard/directory';
import { DirectoryServiceService } from '@switchyard/protos/groups_admin/v1/directory';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { DirectoryFeed } from '../application/follow-directory';

const readers = { callers: 'services' as const };

/** DirectoryService, for the services that keep a replica (D5). */
export const directoryHandler = (feed: DirectoryFeed): ServiceImplementation =>
  implement(
    DirectoryServiceService,
    {
      readChanges: async (request, { signal }) => ({
        ...(await feed.readChanges(request.after, request.limit, request.waitMs, signal)),
        format,
      }),
      async *snapshot() {
        for await (const { rows, sequence } of feed.snapshot())
          yield { rows, sequence, last: rows.length === 0, format };
      },
    },
    { readChanges: readers, snapshot: readers },
  );
