import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { manageBroadcastMessages } from './application/manage-broadcast-messages';
import { broadcastMessageStore } from './storage/broadcast-message.store';
import { broadcastMessageHandler } from './transport/broadcast-message.handler';

/** Messages of the administrators to all users. */
export function composeBroadcastMessages({ db, clock, observe }: Edges): Area {
  const store = broadcastMessageStore(db);
  const messages = observe('broadcast_messages', manageBroadcastMessages({ messages: store, clock }));
  return { services: [broadcastMessageHandler(messages, clock)] };
}
