import type { PipelineCommit, PipelineRef } from '../domain/pipeline-commit';

/** Pipelines by what they are of. */
export interface PipelineCommits {
  /** One of a project; undefined when it has no such pipeline. */
  find(projectId: number, pipelineId: number): Promise<PipelineCommit | undefined>;
  /** The newest of the default branch of each project that has one. */
  latest(projectIds: readonly number[]): Promise<PipelineCommit[]>;
  /** Those of some pipelines of a project after which their ref had no other one. */
  newestOfRefs(projectId: number, pipelineIds: readonly number[]): Promise<PipelineRef[]>;
}
