import { MergeRequestBlockServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_block';
import { type CallContext, entity, fixedOrder, implement, nothing, page } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import type { BlockView, MergeRequestBlocks } from '../application/merge-request-blocks';
import type { MergeRequestView } from '../domain/merge-request-view';
import { presentMergeRequest } from '../presenters/merge-request.presenter';

type ListRequest = {
  readonly projectId: number;
  readonly iid: number;
  readonly page?: Parameters<typeof fixedOrder>[0];
};

/** gRPC side of dependencies. */
export function mergeRequestBlockHandler(
  blocks: MergeRequestBlocks,
  { externalUrl, clock }: { readonly externalUrl: string; readonly clock: () => Date },
) {
  const present = ({ block, projectId, other }: BlockView, side: 'blocking' | 'blocked', context: CallContext) => {
    const shown = (view: MergeRequestView) =>
      presentMergeRequest(view, { externalUrl, context: 'instance', now: clock(), tier: context.access?.tier ?? '' });
    return {
      id: block.id,
      project_id: projectId ?? null,
      ...(other === undefined ? {} : { [`${side}_merge_request`]: shown(other) }),
    };
  };

  async function listed(request: ListRequest, side: 'blocking' | 'blocked', context: CallContext) {
    const order = fixedOrder(request.page, 'id', 'asc');
    const { rows, page: info } = await blocks.list(callerOf(context), request, side, order);
    return page(
      rows.map((row) => present(row, side, context)),
      { ...info, keyset: request.page?.keyset ?? false },
    );
  }

  return implement(MergeRequestBlockServiceService, {
    listMergeRequestBlocks: (request, context) => listed(request, 'blocking', context),

    listMergeRequestBlockees: (request, context) => listed(request, 'blocked', context),

    getMergeRequestBlock: async ({ blockId, ...key }, context) =>
      entity(present(await blocks.get(callerOf(context), key, blockId), 'blocking', context)),

    async createMergeRequestBlock({ blockingId, blockingProjectId, blockingIid, ...key }, context) {
      const blocking = blockingId > 0 ? { id: blockingId } : { projectId: blockingProjectId, iid: blockingIid };
      return entity(present(await blocks.create(callerOf(context), key, blocking), 'blocking', context));
    },

    async deleteMergeRequestBlock({ blockId, ifUnmodifiedSince, ...key }, context) {
      await blocks.remove(callerOf(context), key, blockId, ifUnmodifiedSince);
      return nothing();
    },
  });
}
