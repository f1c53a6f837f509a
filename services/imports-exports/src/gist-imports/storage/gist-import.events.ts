import type { Tx } from '@switchyard/database';
import { appendToOutbox, gistImportEvents } from '@switchyard/events';
import type { EndedGistImport } from '../domain/gist-import';

/** Appends that an import of gists has ended. */
export const recordEnd = (
  tx: Tx,
  { id, authorId, problem, imported, skipped, skippedGists }: EndedGistImport,
): Promise<void> =>
  appendToOutbox(
    tx,
    gistImportEvents,
    {
      importId: id,
      authorId,
      problem: problem ?? '',
      imported,
      skipped,
      skippedGists: [...skippedGists],
      occurredAt: new Date(),
    },
    { id: `gist_import.ended:${id}:1` },
  );
