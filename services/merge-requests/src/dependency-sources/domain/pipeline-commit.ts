/** A pipeline with the commit that it is of. */
export interface PipelineCommit {
  readonly projectId: number;
  readonly pipelineId: number;
  readonly sha: string;
  readonly createdAt: Date;
}
