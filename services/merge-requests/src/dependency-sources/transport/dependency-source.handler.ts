import { notFound } from '@switchyard/errors';
import { DependencySourceServiceService } from '@switchyard/protos/merge_requests/v1/dependency_source';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { FindFiles } from '../application/find-files';
import type { NewestPipelines } from '../application/newest-pipelines';
import type { PipelineCommits } from '../application/pipeline-commits';

/** Projects, pipelines and names of one request (see the proto). */
const maxProjects = 100;
const maxPipelines = 100;
const maxNames = 50;

const rule = { callers: ['imports-exports'] };

/** Serves `DependencySourceService`. */
export const dependencySourceHandler = (
  pipelines: PipelineCommits,
  newest: NewestPipelines,
  files: FindFiles,
): ServiceImplementation =>
  implement(
    DependencySourceServiceService,
    {
      async getPipelineCommit({ projectId, pipelineId }) {
        const found = await pipelines.find(projectId, pipelineId);
        if (found === undefined) throw notFound('Pipeline');
        return found;
      },
      listLatestPipelineCommits: async ({ projectIds }) => ({
        pipelines: await pipelines.latest(projectIds.slice(0, maxProjects)),
      }),
      listNewestPipelines: async ({ projectId, pipelineIds }) => ({
        pipelineIds: await newest(projectId, pipelineIds.slice(0, maxPipelines)),
      }),
      findFiles: async ({ projectId, sha, names }) => ({
        files: await files.find(projectId, sha, new Set(names.slice(0, maxNames))),
      }),
      readFile: async ({ projectId, blob }) => ({ content: await files.read(projectId, blob) }),
    },
    {
      getPipelineCommit: rule,
      listLatestPipelineCommits: rule,
      listNewestPipelines: rule,
      findFiles: rule,
      readFile: rule,
    },
  );
