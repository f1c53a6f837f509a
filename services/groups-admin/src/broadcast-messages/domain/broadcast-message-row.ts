import type { BroadcastMessageContent } from './broadcast-message';

/** A broadcast message as it is stored. */
export interface BroadcastMessageRow extends BroadcastMessageContent {
  readonly id: number;
}
