import { invalid, notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { checkedControl, type WantedTrainControl } from '../domain/train-control';
import type { MergeTrainEdges, TrainControls } from './merge-train.edges';

/** What setting a control works with. */
export interface TrainControlEdges extends Pick<MergeTrainEdges, 'clock'> {
  readonly trainControls: TrainControls;
}

/**
 * Stops, drains or starts a train in the name of the caller (D8); nothing happens when it does that already.
 * @throws AppError invalid with every problem at once; not_found for a branch without a train
 */
export const controlMergeTrain =
  ({ trainControls, clock }: TrainControlEdges) =>
  async (
    caller: Caller,
    key: { projectId: number; targetBranch: string },
    wanted: WantedTrainControl,
  ): Promise<void> => {
    const checked = checkedControl(wanted, clock());
    if ('problems' in checked) throw invalid(checked.problems);
    const trainId = await trainControls.trainOf(key.projectId, key.targetBranch);
    if (trainId === undefined) throw notFound('Merge Train');
    await trainControls.control(trainId, checked.control, caller.userId);
  };
