import { randomUUID } from 'node:crypto';
import { DeliveryServiceService } from '@switchyard/protos/groups_admin/v1/delivery';
import type { Peer } from '@switchyard/rpc';
import type { SentEntries } from '../application/ledger.ports';

/** Asks groups-admin for its part of the ledger. */
export function sentEntries(groupsAdmin: Peer): SentEntries {
  const client = groupsAdmin.client(DeliveryServiceService);
  return {
    async ofProject(projectId, { objectKey, before, limit }) {
      const { entries } = await client.listDeliveryEntries(
        {
          projectId,
          groupId: 0,
          objectKey,
          actorId: 0,
          beforeCreatedAt: before?.at,
          beforeId: before?.id ?? 0,
          limit,
        },
        { requestId: randomUUID(), idempotent: true },
      );
      return entries.map((entry) => ({ ...entry, createdAt: entry.createdAt ?? new Date(0) }));
    },
  };
}
