import { z } from '@switchyard/config';
import { levels } from '@switchyard/rights';
import { recordFields } from '@switchyard/service';
import type { ImportedMember } from '../domain/member-change';

/** A member as an archive has one (ADR 60). */
export const memberRecord = z.object({
  username: recordFields.text(255),
  access_level: z.literal([
    levels.guest,
    levels.planner,
    levels.reporter,
    levels.developer,
    levels.maintainer,
    levels.owner,
  ]),
  expires_at: recordFields.time.nullable(),
  created_at: recordFields.time,
});

/** A member of an archive. */
export const toImported = (record: z.infer<typeof memberRecord>): ImportedMember => ({
  username: record.username,
  level: record.access_level,
  expiresAt: record.expires_at ?? undefined,
  since: record.created_at,
});
