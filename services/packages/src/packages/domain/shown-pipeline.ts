/** A pipeline as merge-requests shows it. */
export interface ShownPipeline {
  readonly id: number;
}

/** Pipelines by their ids. */
export type ShownPipelines = ReadonlyMap<number, ShownPipeline>;
