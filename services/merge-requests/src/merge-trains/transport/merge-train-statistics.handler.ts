import type { GetMergeTrainStatisticsRequest } from '@switchyard/protos/merge_requests/v1/merge_train';
import { entity } from '@switchyard/rpc';
import type { readTrainStatistics } from '../application/train-statistics';
import { presentTrainStatistics } from '../presenters/train-statistics.presenter';

/** The use case behind the RPC on what trains did. */
export interface TrainStatisticsUseCases {
  readonly readTrainStatistics: ReturnType<typeof readTrainStatistics>;
}

/** The RPC of MergeTrainService on what a train did. */
export const trainStatisticsRpcs = ({ readTrainStatistics }: TrainStatisticsUseCases) => ({
  async getMergeTrainStatistics({ projectId, targetBranch, after, before }: GetMergeTrainStatisticsRequest) {
    const statistics = await readTrainStatistics({ projectId, targetBranch }, { after, before });
    return entity(presentTrainStatistics(targetBranch, statistics));
  },
});
