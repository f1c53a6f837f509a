import { notFound } from '@switchyard/errors';
import {
  type MergeRequestTarget as MergeRequestTargetMessage,
  MergeRequestTargetServiceService,
} from '@switchyard/protos/merge_requests/v1/merge_request_target';
import type { CallOptions, Peer } from '@switchyard/rpc';
import type { Reader, ShownTarget, TargetOwner } from '../application/todo-targets';

const toTarget = (message: MergeRequestTargetMessage): ShownTarget => ({
  id: message.id,
  iid: message.iid,
  projectId: message.projectId,
  json: message.json,
  webUrl: message.webUrl,
  title: message.title,
});

/**
 * Asks merge-requests for targets on behalf of the reader, whose rights it checks.
 * @param directorySequence where this service's directory stands: the owner must know as much before it answers
 */
export function mergeRequestTargets(peer: Peer, directorySequence: () => number): TargetOwner {
  const client = peer.client(MergeRequestTargetServiceService);
  const options = ({ actor, requestId }: Reader): CallOptions => ({
    requestId,
    actor,
    directorySequence: directorySequence(),
    idempotent: true,
  });
  return {
    async byIds(ids, reader, withSubscribed) {
      if (ids.length === 0) return new Map();
      const { targets } = await client.batchGet({ ids: [...ids], withSubscribed }, options(reader));
      return new Map(targets.filter((target) => target.readable).map((target) => [target.id, toTarget(target)]));
    },
    async find(projectId, iid, reader) {
      const target = await client.find({ projectId, iid, withSubscribed: false }, options(reader));
      if (!target.readable) throw notFound();
      return toTarget(target);
    },
  };
}
