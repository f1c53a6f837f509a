import { dateOf } from '../../rules';
import type { Share } from '../domain/share-row';

/** The share of a project as the API shows it after it was made. */
export const presentProjectShare = (share: Share) => ({
  id: share.id,
  project_id: share.project_id,
  group_id: share.group_id,
  group_access: share.access_level,
  expires_at: share.expires_at === null ? null : dateOf(share.expires_at),
});
