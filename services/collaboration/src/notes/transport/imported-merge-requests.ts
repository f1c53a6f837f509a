import { randomUUID } from 'node:crypto';
import { MergeRequestImportServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_import';
import type { Peer } from '@switchyard/rpc';
import type { ImportedMergeRequests } from '../application/import-notes';

/** Milliseconds for a page of places, each of which may be one of another commit. */
const locateMs = 60_000;

/** Asks merge-requests for imported ones, as the service itself. */
export function importedMergeRequests(peer: Peer): ImportedMergeRequests {
  const client = peer.client(MergeRequestImportServiceService);
  return {
    async locate(key, iids, places) {
      const found = await client.locateImportedNotes(
        { ...key, iids: [...iids], places: [...places] },
        { requestId: randomUUID(), idempotent: true, timeoutMs: locateMs },
      );
      return {
        ids: new Map(found.mergeRequests.map(({ iid, id }) => [iid, id])),
        positions: found.places.map(({ position }) => position),
      };
    },
  };
}
