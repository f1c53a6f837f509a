import { resourceEvent, resourceEventKind } from '@switchyard/directory';
import { MergeRequestEventServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_event';
import { entity, fixedOrder, implement, page, type ServiceImplementation } from '@switchyard/rpc';
import type { listMergeRequestEvents, readMergeRequestEvent } from '../application/merge-request-events';
import type { MergeRequestView } from '../domain/merge-request-view';

/** Use cases behind the service. */
export interface MergeRequestEventUseCases {
  readonly listMergeRequestEvents: ReturnType<typeof listMergeRequestEvents>;
  readonly readMergeRequestEvent: ReturnType<typeof readMergeRequestEvent>;
}

/** Serves `MergeRequestEventService`. */
export function mergeRequestEventHandler(
  useCases: MergeRequestEventUseCases,
  { externalUrl, clock }: { readonly externalUrl: string; readonly clock: () => Date },
): ServiceImplementation {
  const rendering = ({ mergeRequest, project }: MergeRequestView) => ({
    type: 'MergeRequest' as const,
    ownerId: mergeRequest.id,
    project,
    externalUrl,
    now: clock(),
  });
  return implement(MergeRequestEventServiceService, {
    async listMergeRequestEvents({ kind, page: wanted, ...key }) {
      const request = fixedOrder(wanted, 'id', 'asc');
      const found = await useCases.listMergeRequestEvents(key, resourceEventKind(kind), request);
      return page(
        found.rows.map((event) => resourceEvent(event, rendering(found.view))),
        { ...found.page, keyset: request.mode === 'keyset' },
      );
    },
    async getMergeRequestEvent({ kind, eventId, ...key }) {
      const { view, event } = await useCases.readMergeRequestEvent(key, resourceEventKind(kind), eventId);
      return entity(resourceEvent(event, rendering(view)));
    },
  });
}
