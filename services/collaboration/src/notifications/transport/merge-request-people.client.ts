import { randomUUID } from 'node:crypto';
import { MergeRequestTargetServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_target';
import type { Peer } from '@switchyard/rpc';
import type { InvolvedPeople } from '../domain/stored';

/** What the owner of merge requests is asked about their people. */
export function mergeRequestPeople(mergeRequests: Peer) {
  const client = mergeRequests.client(MergeRequestTargetServiceService);
  const options = () => ({ requestId: randomUUID(), idempotent: true });
  return {
    /** Who has to do with a merge request; undefined when it is gone. */
    async people(id: number): Promise<InvolvedPeople | undefined> {
      const { people } = await client.listPeople({ ids: [id] }, options());
      const [found] = people;
      return found && { ...found, text: found.description };
    },

    /** Notes that a user does not want to be notified of a merge request. */
    async endSubscription(id: number, userId: number): Promise<void> {
      await client.endSubscription({ id, userId }, options());
    },
  };
}
