import {
  BroadcastMessageServiceService,
  type BroadcastMessageSettings,
} from '@switchyard/protos/groups_admin/v1/broadcast_message';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import type { ManageBroadcastMessages } from '../application/manage-broadcast-messages';
import type { BroadcastMessageChange } from '../domain/broadcast-message';
import type { BroadcastMessageRow } from '../domain/broadcast-message-row';
import { presentBroadcastMessage } from '../presenters/broadcast-message.presenter';

/** Fields that were sent; absent ones stay out, so that they keep their value. */
const changeOf = ({
  targetAccessLevels,
  ...settings
}: Partial<BroadcastMessageSettings> = {}): BroadcastMessageChange =>
  Object.fromEntries(
    Object.entries({ ...settings, targetAccessLevels: targetAccessLevels?.levels }).filter(
      ([, value]) => value !== undefined,
    ),
  );

/** BroadcastMessageService. */
export function broadcastMessageHandler(messages: ManageBroadcastMessages, clock: () => Date): ServiceImplementation {
  const present = (message: BroadcastMessageRow) => presentBroadcastMessage(message, clock());
  return implement(BroadcastMessageServiceService, {
    listBroadcastMessages: async (request) => {
      const asked = fixedOrder(request.page, 'id', 'desc');
      const { rows, page: info } = await messages.list(asked);
      return page(rows.map(present), { ...info, keyset: asked.mode === 'keyset' });
    },
    getBroadcastMessage: async ({ broadcastMessageId }) => entity(present(await messages.get(broadcastMessageId))),
    createBroadcastMessage: async ({ settings }) => entity(present(await messages.create(changeOf(settings)))),
    updateBroadcastMessage: async ({ broadcastMessageId, settings }) =>
      entity(present(await messages.update(broadcastMessageId, changeOf(settings)))),
    deleteBroadcastMessage: async ({ broadcastMessageId, ifUnmodifiedSince }) => {
      await messages.remove(broadcastMessageId, ifUnmodifiedSince);
      return nothing(204);
    },
  });
}
