import { z } from '@switchyard/config';
import { recordFields } from '@switchyard/service';
import type { ImportedBlock } from '../application/import-blocks';

/** A dependency between merge requests of a project as an archive has it (ADR 60). */
export const blockRecord = z.object({ blocking_iid: recordFields.iid, blocked_iid: recordFields.iid });

/** A dependency of an archive. */
export const toImportedBlock = (record: z.infer<typeof blockRecord>): ImportedBlock => ({
  blockingIid: record.blocking_iid,
  blockedIid: record.blocked_iid,
});
