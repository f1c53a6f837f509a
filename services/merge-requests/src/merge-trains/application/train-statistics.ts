import { invalid, notFound } from '@switchyard/errors';
import { statisticsRange, type TrainStatistics, trainStatistics, type WantedRange } from '../domain/train-statistics';
import type { MergeTrainEdges } from './merge-train.edges';
import type { TrainCounters } from './train-history.ports';

/** What statistics of trains work with. */
export interface TrainStatisticsEdges extends Pick<MergeTrainEdges, 'clock'> {
  readonly counters: TrainCounters;
}

/**
 * What a train did in a time, by default in the last 28 days.
 * @throws AppError invalid with what is wrong with the days; not_found for a branch without a train
 */
export const readTrainStatistics =
  ({ counters, clock }: TrainStatisticsEdges) =>
  async (key: { projectId: number; targetBranch: string }, wanted: WantedRange): Promise<TrainStatistics> => {
    const now = clock();
    const checked = statisticsRange(wanted, now);
    if ('problems' in checked) throw invalid(checked.problems);
    const train = await counters.measured(key, checked.range);
    if (train === undefined) throw notFound('Merge Train');
    return trainStatistics(train, checked.range, now);
  };
