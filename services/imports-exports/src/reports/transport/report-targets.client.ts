import { DependencySourceServiceService } from '@switchyard/protos/merge_requests/v1/dependency_source';
import type { Peer } from '@switchyard/rpc';
import type { ReportTargets } from '../application/reports.ports';

/** Asks merge-requests for pipelines. */
export function reportTargetsOf(mergeRequests: Peer): ReportTargets {
  const client = mergeRequests.client(DependencySourceServiceService);
  return {
    async requirePipeline(projectId, pipelineId, requestId) {
      await client.getPipelineCommit({ projectId, pipelineId }, { requestId, idempotent: true });
    },
    async newest(projectId, pipelineIds, requestId) {
      const request = { projectId, pipelineIds: [...pipelineIds] };
      return (await client.listNewestPipelines(request, { requestId, idempotent: true })).pipelineIds;
    },
  };
}
