import { z } from '@switchyard/config';
import { levels } from '@switchyard/rights';
import { recordFields } from '@switchyard/service';
import type { ImportedMember } from '../domain/member-change';

const accessLevel = z.literal([
  levels.guest,
  levels.planner,
  levels.reporter,
  levels.developer,
  levels.maintainer,
  levels.owner,
]);

/** A member as an archive has one (ADR 60). */
export const memberRecord = z.object({
  username: recordFields.text(255),
  access_level: accessLevel,
  expires_at: recordFields.time.nullable(),
  created_at: recordFields.time,
});

/** A member of an archive. */
export const toImported = (record: z.infer<typeof memberRecord>): ImportedMember => ({
  user: record.username,
  level: record.access_level,
  expiresAt: record.expires_at ?? undefined,
  since: record.created_at,
});

/** A user here to whom an import gives a role (ADR 67): usernames may change hands before it does. No archive has these. */
export const collaboratorRecord = z.object({ user_id: z.int().min(1), access_level: accessLevel });

/** A member since now. */
export const toCollaborator = (record: z.infer<typeof collaboratorRecord>): ImportedMember => ({
  user: record.user_id,
  level: record.access_level,
  expiresAt: undefined,
  since: new Date(),
});
