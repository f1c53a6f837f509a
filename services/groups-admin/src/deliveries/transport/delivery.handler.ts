import { type DeliveryEntry, DeliveryServiceService } from '@switchyard/protos/groups_admin/v1/delivery';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import { parentOf } from '../../parents';
import { given } from '../../wire';
import type { DeliveryEntryFilter, DeliveryEntryRow } from '../storage/delivery-entry.list';

/** A page of 100 and one more, which shows whether there is another page. */
const maxEntries = 101;

const toEntry = ({ responseStatus, error, ...row }: DeliveryEntryRow): DeliveryEntry => ({
  ...row,
  responseStatus: responseStatus ?? 0,
  error: error ?? '',
});

/** DeliveryService. */
export const deliveryHandler = (
  list: (filter: DeliveryEntryFilter) => Promise<DeliveryEntryRow[]>,
): ServiceImplementation =>
  implement(
    DeliveryServiceService,
    {
      async listDeliveryEntries({ projectId, groupId, beforeCreatedAt, beforeId, limit, ...request }) {
        const { kind, id } = parentOf({ projectId, groupId });
        const rows = await list({
          projectId: kind === 'project' ? id : 0,
          groupId: kind === 'group' ? id : 0,
          objectKey: given(request.objectKey),
          actorId: given(request.actorId),
          before: beforeCreatedAt === undefined ? undefined : { createdAt: beforeCreatedAt, id: beforeId },
          limit: limit > 0 ? Math.min(limit, maxEntries) : maxEntries,
        });
        return { entries: rows.map(toEntry) };
      },
    },
    { listDeliveryEntries: { callers: ['collaboration'] } },
  );
