import type { SqlExecutor } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type {
  GetMergeTrainControlRequest,
  SetMergeTrainControlRequest,
} from '@switchyard/protos/merge_requests/v1/merge_train';
import type { Representation } from '@switchyard/protos/rpc/v1/representation';
import { type CallContext, entity } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import type { controlMergeTrain } from '../application/control-merge-train';
import { presentMergeTrainControl } from '../presenters/merge-train-control.presenter';
import { trainControlOf } from '../storage/merge-train-control.list';

/** The use cases behind the RPCs on what a train does. */
export interface TrainControlUseCases {
  readonly controlMergeTrain: ReturnType<typeof controlMergeTrain>;
}

/** The RPCs of MergeTrainService that read and set what a train does. */
export function trainControlRpcs(
  { controlMergeTrain }: TrainControlUseCases,
  { db, externalUrl }: { readonly db: SqlExecutor; readonly externalUrl: string },
) {
  async function show(key: { projectId: number; targetBranch: string }): Promise<Representation> {
    const view = await trainControlOf(db, key);
    if (view === undefined) throw notFound('Merge Train');
    return entity(presentMergeTrainControl(view, externalUrl));
  }
  return {
    getMergeTrainControl: ({ projectId, targetBranch }: GetMergeTrainControlRequest) =>
      show({ projectId, targetBranch }),

    async setMergeTrainControl(request: SetMergeTrainControlRequest, context: CallContext) {
      const { projectId, targetBranch, state, reason, until } = request;
      await controlMergeTrain(callerOf(context), { projectId, targetBranch }, { state, reason, until });
      return show({ projectId, targetBranch });
    },
  };
}
