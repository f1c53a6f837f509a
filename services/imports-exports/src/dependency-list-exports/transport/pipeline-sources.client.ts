import {
  DependencySourceServiceService,
  type PipelineCommit as WirePipeline,
} from '@switchyard/protos/merge_requests/v1/dependency_source';
import type { Peer } from '@switchyard/rpc';
import { lockFileNames } from '../../lock-files';
import type { PipelineSources } from '../application/exports.ports';
import type { PipelineCommit } from '../domain/dependency-list-export';

const toPipeline = ({ createdAt = new Date(0), ...pipeline }: WirePipeline): PipelineCommit => ({
  ...pipeline,
  createdAt,
});

/** Asks merge-requests for pipelines and files of commits. */
export function pipelineSourcesOf(mergeRequests: Peer): PipelineSources {
  const client = mergeRequests.client(DependencySourceServiceService);
  const options = (requestId: string) => ({ requestId, idempotent: true });
  return {
    pipeline: async (projectId, pipelineId, requestId) =>
      toPipeline(await client.getPipelineCommit({ projectId, pipelineId }, options(requestId))),
    async latest(projectIds, requestId) {
      const { pipelines } = await client.listLatestPipelineCommits({ projectIds: [...projectIds] }, options(requestId));
      return pipelines.map(toPipeline);
    },
    async lockFiles(projectId, sha, requestId) {
      const { files } = await client.findFiles({ projectId, sha, names: [...lockFileNames] }, options(requestId));
      return files;
    },
    async readLockFile(projectId, blob, requestId) {
      const { content } = await client.readFile({ projectId, blob }, options(requestId));
      return content.toString('utf8');
    },
  };
}
