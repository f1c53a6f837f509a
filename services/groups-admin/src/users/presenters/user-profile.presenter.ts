import type { RenderMarkdown } from '@switchyard/markdown';
import type { UserActivity } from '../domain/user-profile';
import type { UserStatus } from '../domain/user-status';

/** A status; of a user without one, an empty one. */
export const presentStatus = (status: UserStatus | undefined, html: RenderMarkdown) => ({
  emoji: status?.emoji ?? null,
  message: status?.message ?? null,
  availability: status?.availability ?? null,
  message_html: status === undefined ? '' : html(status.message),
  clear_status_at: status?.clear_at?.toISOString() ?? null,
});

/** An activity. `last_activity_at` is the same under an older name. */
export const presentActivity = ({ username, last_activity_on }: UserActivity) => ({
  username,
  last_activity_on,
  last_activity_at: last_activity_on,
});
