/** A pipeline with the commit that it is of. */
export interface PipelineCommit {
  readonly projectId: number;
  readonly pipelineId: number;
  readonly sha: string;
  readonly createdAt: Date;
}

/** A pipeline with what it was made for. */
export interface PipelineRef {
  readonly pipelineId: number;
  /** Name of a branch or tag; of a merge request, a whole ref. */
  readonly ref: string;
  readonly tag: boolean;
}
