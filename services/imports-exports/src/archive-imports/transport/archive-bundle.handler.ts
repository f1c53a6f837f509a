import { notFound } from '@switchyard/errors';
import { ArchiveBundleServiceService } from '@switchyard/protos/imports_exports/v1/archive_bundle';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import { inMessages } from '@switchyard/service';
import type { ArchiveImportStore } from '../application/imports.ports';
import { type ReadingEdges, readBundle, readUploads } from '../application/read-archive';

/** Gives out the repositories and files of archives while these come in. */
export const archiveBundleHandler = (
  imports: Pick<ArchiveImportStore, 'fileOf'>,
  edges: ReadingEdges,
): ServiceImplementation => {
  async function fileOf(importKey: string) {
    const file = await imports.fileOf(importKey);
    if (file === undefined) throw notFound();
    return file;
  }
  async function* bundle(importKey: string, of: 'repository' | 'wiki') {
    for await (const part of readBundle(edges, await fileOf(importKey), of))
      for (const data of inMessages(part)) yield { data };
  }
  return implement(
    ArchiveBundleServiceService,
    {
      readArchiveBundle: ({ importKey }) => bundle(importKey, 'repository'),
      readArchiveWiki: ({ importKey }) => bundle(importKey, 'wiki'),
      async *readArchiveUploads({ importKey }) {
        yield* readUploads(edges, await fileOf(importKey));
      },
    },
    {
      readArchiveBundle: { callers: ['merge-requests'] },
      readArchiveWiki: { callers: ['merge-requests'] },
      readArchiveUploads: { callers: ['packages'] },
    },
  );
};
