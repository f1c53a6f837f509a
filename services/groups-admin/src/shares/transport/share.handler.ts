import { ShareServiceService } from '@switchyard/protos/groups_admin/v1/share';
import { type CallContext, entity, implement, nothing, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import { actorOf } from '../../members';
import { parentOf } from '../../parents';
import { given } from '../../wire';
import type { ManageShares } from '../application/manage-shares';
import { presentProjectShare } from '../presenters/share.presenter';

/** A group as its Owner sees it after a change. */
export type ShowGroup = (context: CallContext, groupId: number) => Promise<ReturnType<typeof entity>>;

/** ShareService. */
export const shareHandler = (shares: Omit<ManageShares, 'expire'>, showGroup: ShowGroup): ServiceImplementation =>
  implement(ShareServiceService, {
    createShare: async (request, context) => {
      const source = parentOf(request.source);
      const share = await shares.create(
        actorOf(context),
        { source, groupId: request.groupId, viewer: viewerOf(context) },
        { level: request.accessLevel, expiresAt: given(request.expiresAt) },
      );
      return source.kind === 'group' ? showGroup(context, source.id) : entity(presentProjectShare(share));
    },

    deleteShare: async (request, context) => {
      await shares.remove(actorOf(context), {
        source: parentOf(request.source),
        groupId: request.groupId,
        viewer: viewerOf(context),
        unmodifiedSince: request.ifUnmodifiedSince,
      });
      return nothing(204);
    },
  });
