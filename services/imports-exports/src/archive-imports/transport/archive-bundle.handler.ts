import { notFound } from '@switchyard/errors';
import { ArchiveBundleServiceService } from '@switchyard/protos/imports_exports/v1/archive_bundle';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ArchiveImportStore } from '../application/imports.ports';
import { type ReadingEdges, readBundle } from '../application/read-archive';

/** Bytes of a message. */
const messageBytes = 256 << 10;

/** Gives out the repositories of archives while these come in. */
export function archiveBundleHandler(
  imports: Pick<ArchiveImportStore, 'fileOf'>,
  edges: ReadingEdges,
): ServiceImplementation {
  async function* read(importKey: string, of: 'repository' | 'wiki') {
    const file = await imports.fileOf(importKey);
    if (file === undefined) throw notFound();
    for await (const part of readBundle(edges, file, of))
      for (let at = 0; at < part.length; at += messageBytes) yield { data: part.subarray(at, at + messageBytes) };
  }

  return implement(
    ArchiveBundleServiceService,
    {
      readArchiveBundle: ({ importKey }) => read(importKey, 'repository'),
      readArchiveWiki: ({ importKey }) => read(importKey, 'wiki'),
    },
    { readArchiveBundle: { callers: ['merge-requests'] }, readArchiveWiki: { callers: ['merge-requests'] } },
  );
}
