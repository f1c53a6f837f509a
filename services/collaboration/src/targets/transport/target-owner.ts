import { notFound } from '@switchyard/errors';
import type { CallOptions } from '@switchyard/rpc';
import type { ShownTarget, TargetOwner, TargetReader } from '../application/targets';

/** A target as its owner returns it. */
type TargetMessage = ShownTarget & { readonly readable: boolean };

/** What the service that owns targets of a type serves. */
interface TargetClient {
  batchGet(
    request: { ids: number[]; withSubscribed: boolean },
    options: CallOptions,
  ): Promise<{ targets: TargetMessage[] }>;
  find(
    request: { projectId: number; iid: number; withSubscribed: boolean },
    options: CallOptions,
  ): Promise<TargetMessage>;
}

const toTarget = ({ id, iid, projectId, json, webUrl, title }: TargetMessage): ShownTarget => ({
  id,
  iid,
  projectId,
  json,
  webUrl,
  title,
});

/**
 * Asks another service for its targets on behalf of the reader, whose rights it checks.
 * @param directorySequence where this service's directory stands: the owner must know as much before it answers
 */
export function targetOwner(client: TargetClient, directorySequence: () => number): TargetOwner {
  const options = ({ actor, requestId }: TargetReader): CallOptions => ({
    requestId,
    actor,
    directorySequence: directorySequence(),
    idempotent: true,
  });
  return {
    async byIds(ids, reader, withSubscribed) {
      if (ids.length === 0) return new Map();
      const { targets } = await client.batchGet({ ids: [...ids], withSubscribed }, options(reader));
      return new Map(targets.filter(({ readable }) => readable).map((target) => [target.id, toTarget(target)]));
    },
    async find(projectId, iid, reader) {
      const target = await client.find({ projectId, iid, withSubscribed: false }, options(reader));
      if (!target.readable) throw notFound();
      return toTarget(target);
    },
  };
}
