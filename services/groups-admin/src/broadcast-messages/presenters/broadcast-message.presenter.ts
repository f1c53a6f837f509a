import { isActive } from '../domain/broadcast-message';
import type { BroadcastMessageRow } from '../domain/broadcast-message-row';

/** Background of messages before themes; clients still read it (G-2-28). */
const formerColor = '#E75E40';

/** A broadcast message at `now` (api.md 2). */
export const presentBroadcastMessage = (message: BroadcastMessageRow, now: Date) => ({
  id: message.id,
  message: message.message,
  starts_at: message.startsAt,
  ends_at: message.endsAt,
  color: formerColor,
  font: message.font,
  active: isActive(message, now),
  target_access_levels: message.targetAccessLevels,
  target_path: message.targetPath,
  broadcast_type: message.broadcastType,
  dismissable: message.dismissable,
  theme: message.theme,
});
