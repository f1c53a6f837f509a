import { userReference } from '@switchyard/directory';
import type { AwardRow } from '../domain/award-emoji';

/** The public reaction (G-2-17). */
export const presentAward = (award: AwardRow, externalUrl: string) => ({
  id: award.id,
  name: award.name,
  user: award.user && userReference(award.user, externalUrl),
  created_at: award.createdAt,
  updated_at: award.updatedAt,
  awardable_id: award.awardable.id,
  awardable_type: award.awardable.type,
  url: null,
});
