/** A pipeline with the commit that it is of. */
export interface PipelineCommit {
  readonly projectId: number;
  readonly pipelineId: number;
  readonly sha: string;
  readonly createdAt: Date;
}

/** Pipelines by what they are of. */
export interface PipelineCommits {
  /** One of a project; undefined when it has no such pipeline. */
  find(projectId: number, pipelineId: number): Promise<PipelineCommit | undefined>;
  /** The newest of the default branch of each project that has one. */
  latest(projectIds: readonly number[]): Promise<PipelineCommit[]>;
}
