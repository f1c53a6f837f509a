import { randomUUID } from 'node:crypto';
import { HookBodyServiceService } from '@switchyard/protos/merge_requests/v1/hook_body';
import type { Peer } from '@switchyard/rpc';
import { commitName, type Named, type NoteableParts } from '../domain/hook-facts';

const partOf = (json: Uint8Array): object => JSON.parse(Buffer.from(json).toString()) as object;

/** Asks merge-requests for what the bodies of notes show of merge requests and commits: one call. */
export function noteableParts(mergeRequests: Peer) {
  const client = mergeRequests.client(HookBodyServiceService);
  return async (named: Pick<Named, 'mergeRequests' | 'commits'>): Promise<NoteableParts> => {
    const found = await client.renderHookParts(
      { mergeRequestIds: [...named.mergeRequests], commits: [...named.commits] },
      { requestId: randomUUID(), idempotent: true },
    );
    return {
      mergeRequests: new Map(found.mergeRequests.map(({ id, json }) => [id, partOf(json)])),
      commits: new Map(found.commits.map((commit) => [commitName(commit), partOf(commit.json)])),
    };
  };
}
