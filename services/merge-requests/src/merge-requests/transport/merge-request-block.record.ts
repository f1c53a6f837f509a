import { z } from '@switchyard/config';
import { recordFields } from '@switchyard/service';
import type { ImportedBlock } from '../application/import-blocks';
import { maxBlocks } from '../domain/merge-request-block';

/** What a merge request of a project waits for in it, as an archive has it (ADR 60). */
export const blocksRecord = z.object({
  blocked_iid: recordFields.iid,
  blocking_iids: z.array(recordFields.iid).max(maxBlocks),
});

/** Dependencies of an archive. */
export const toImportedBlocks = (record: z.infer<typeof blocksRecord>): ImportedBlock[] =>
  record.blocking_iids.map((blockingIid) => ({ blockingIid, blockedIid: record.blocked_iid }));
