import { notFound } from '@switchyard/errors';
import { type AlertTarget, AlertTargetServiceService } from '@switchyard/protos/alerts/v1/alert_target';
import type { CallOptions, Peer } from '@switchyard/rpc';
import type { Reader, ShownTarget, TargetOwner } from '../application/todo-targets';

const toTarget = ({ id, iid, projectId, json, webUrl, title }: AlertTarget): ShownTarget => ({
  id,
  iid,
  projectId,
  json,
  webUrl,
  title,
});

/**
 * Asks the service of alerts for targets on behalf of the reader, whose rights it checks.
 * @param directorySequence where this service's directory stands: the owner must know as much before it answers
 */
export function alertTargets(peer: Peer, directorySequence: () => number): TargetOwner {
  const client = peer.client(AlertTargetServiceService);
  const options = ({ actor, requestId }: Reader): CallOptions => ({
    requestId,
    actor,
    directorySequence: directorySequence(),
    idempotent: true,
  });
  return {
    async byIds(ids, reader) {
      if (ids.length === 0) return new Map();
      const { targets } = await client.batchGet({ ids: [...ids] }, options(reader));
      return new Map(targets.filter(({ readable }) => readable).map((target) => [target.id, toTarget(target)]));
    },
    async find(projectId, iid, reader) {
      const target = await client.find({ projectId, iid }, options(reader));
      if (!target.readable) throw notFound();
      return toTarget(target);
    },
  };
}
