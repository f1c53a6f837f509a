import type { GetMergeTrainForecastRequest } from '@switchyard/protos/merge_requests/v1/merge_train';
import { entity } from '@switchyard/rpc';
import type { forecastMergeTrain } from '../application/forecast-merge-train';
import { presentTrainForecast } from '../presenters/train-forecast.presenter';

/** The use case behind the RPC on when cars will land. */
export interface TrainForecastUseCases {
  readonly forecastMergeTrain: ReturnType<typeof forecastMergeTrain>;
}

/** The RPC of MergeTrainService on when cars will land. */
export const trainForecastRpcs = ({ forecastMergeTrain }: TrainForecastUseCases) => ({
  async getMergeTrainForecast({ projectId, targetBranch }: GetMergeTrainForecastRequest) {
    return entity(presentTrainForecast(await forecastMergeTrain({ projectId, targetBranch })));
  },
});
