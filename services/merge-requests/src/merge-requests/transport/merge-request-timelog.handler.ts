import { timelog } from '@switchyard/directory';
import { MergeRequestTimelogServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_timelog';
import { fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import type { deleteMergeRequestTimelog, listMergeRequestTimelogs } from '../application/merge-request-timelogs';

/** Use cases behind the service. */
export interface MergeRequestTimelogUseCases {
  readonly listMergeRequestTimelogs: ReturnType<typeof listMergeRequestTimelogs>;
  readonly deleteMergeRequestTimelog: ReturnType<typeof deleteMergeRequestTimelog>;
}

/** Serves `MergeRequestTimelogService`. */
export const mergeRequestTimelogHandler = (
  useCases: MergeRequestTimelogUseCases,
  { externalUrl }: { readonly externalUrl: string },
): ServiceImplementation =>
  implement(MergeRequestTimelogServiceService, {
    async listMergeRequestTimelogs({ page: wanted, ...key }) {
      const request = fixedOrder(wanted, 'spent_at', 'desc');
      const found = await useCases.listMergeRequestTimelogs(key, request);
      return page(
        found.rows.map((log) => timelog(log, externalUrl)),
        { ...found.page, keyset: request.mode === 'keyset' },
      );
    },
    async deleteMergeRequestTimelog({ timelogId, ...key }, context) {
      await useCases.deleteMergeRequestTimelog(callerOf(context), key, timelogId);
      return nothing(204);
    },
  });
