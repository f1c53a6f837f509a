import type { Tx } from '@switchyard/database';
import type { NewPipeline } from '../domain/pipeline';
import type { PipelineStatus } from '../domain/pipeline-status';

/** What has become of a pipeline. */
export interface PipelineChange {
  readonly pipelineId: number;
  readonly status: PipelineStatus;
  /** It has failed just now. */
  readonly failed: boolean;
  /** Names the retry, where that is the cause. */
  readonly retriedAs: string | undefined;
  readonly actorId: number;
  readonly now: Date;
}

/** Merge requests as followers of pipelines, in the transactions of these; merge requests implement it. */
export interface HeadPipelines {
  /** Locks the open merge requests whose head a new pipeline tests; returns their ids, in order. */
  lockHeads(tx: Tx, pipeline: NewPipeline): Promise<number[]>;
  /** Makes it the head pipeline of these. */
  become(tx: Tx, mergeRequestIds: readonly number[], pipelineId: number): Promise<void>;
  /** Publishes, and queues, what follows for the merge requests whose head pipeline it is. */
  changed(tx: Tx, change: PipelineChange): Promise<void>;
}

/** Cars as followers of pipelines; merge trains implement it. */
export interface TestedCars {
  /**
   * The train whose car a pipeline tests; undefined for other pipelines, and for those of cars that are being merged,
   * were built again or were removed.
   */
  trainOf(tx: Tx, pipelineId: number): Promise<number | undefined>;
  /** Locks the trains that refer to a pipeline in any way, before the pipeline itself is locked. */
  lockTrains(tx: Tx, pipelineId: number): Promise<void>;
}

/** Who follows pipelines. */
export interface PipelineFollowers {
  readonly heads: HeadPipelines;
  readonly cars: TestedCars;
}
