import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { Repositories } from '../repositories';
import { findFiles } from './application/find-files';
import { newestPipelines } from './application/newest-pipelines';
import { pipelineCommitStore } from './storage/pipeline-commit.store';
import { dependencySourceHandler } from './transport/dependency-source.handler';

/** Builds what the service imports-exports reads of pipelines and repositories. */
export function composeDependencySources(
  { db, observe }: Pick<Edges, 'db' | 'observe'>,
  { openRepository }: Pick<Repositories, 'openRepository'>,
): Area {
  const files = observe('merge_requests.dependency_sources', findFiles(openRepository));
  const pipelines = pipelineCommitStore(db);
  const newest = newestPipelines(pipelines, openRepository);
  return { services: [dependencySourceHandler(pipelines, newest, files)] };
}
