import type { Tx } from '@switchyard/database';
import type { TrainEvent } from '../domain/merge-train';

/** A pipeline that a train opened. */
export interface OpenedPipeline {
  readonly pipelineId: number;
  readonly sha: string;
  readonly cars: number;
  readonly rerun: boolean;
  readonly probe: boolean;
}

/** Placeholder. */
export async function recordHistory(
  _tx: Tx,
  _train: { readonly id: number },
  _change: {
    readonly events: readonly TrainEvent[];
    readonly opened: readonly OpenedPipeline[];
    readonly cars: ReadonlyMap<number, object>;
    readonly actorId: number;
    readonly now: Date;
  },
): Promise<void> {}
