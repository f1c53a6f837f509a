import { notFound } from '@switchyard/errors';
import { ArchiveBundleServiceService } from '@switchyard/protos/imports_exports/v1/archive_bundle';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ArchiveImportStore } from '../application/imports.ports';
import { type ReadingEdges, readBundle } from '../application/read-archive';

/** Bytes of a message. */
const messageBytes = 256 << 10;

/** Gives out the repositories of archives while these come in. */
export const archiveBundleHandler = (
  imports: Pick<ArchiveImportStore, 'fileOf'>,
  edges: ReadingEdges,
): ServiceImplementation =>
  implement(
    ArchiveBundleServiceService,
    {
      async *readArchiveBundle({ importKey }) {
        const file = await imports.fileOf(importKey);
        if (file === undefined) throw notFound();
        for await (const part of readBundle(edges, file))
          for (let at = 0; at < part.length; at += messageBytes) yield { data: part.subarray(at, at + messageBytes) };
      },
    },
    { readArchiveBundle: { callers: ['merge-requests'] } },
  );
