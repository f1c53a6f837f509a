import { PipelineServiceService } from '@switchyard/protos/merge_requests/v1/pipeline';
import type { Peer } from '@switchyard/rpc';
import type { ReadPipelines } from '../application/package.ports';
import type { ShownPipeline } from '../domain/shown-pipeline';

/**
 * Asks merge-requests for pipelines on behalf of the reader, whose rights it checks.
 * @param directorySequence where this service's directory stands: the owner must know as much before it answers
 */
export function pipelinesOf(mergeRequests: Peer, directorySequence: () => number): ReadPipelines {
  const client = mergeRequests.client(PipelineServiceService);
  return async (projectId, pipelineIds, { actor, requestId }) => {
    const { json } = await client.batchGetPipelines(
      { projectId: projectId ?? 0, pipelineIds: [...pipelineIds] },
      { requestId, actor, directorySequence: directorySequence(), idempotent: true },
    );
    return JSON.parse(Buffer.from(json).toString()) as ShownPipeline[];
  };
}
