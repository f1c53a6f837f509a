import { ArchiveBundleServiceService } from '@switchyard/protos/imports_exports/v1/archive_bundle';
import type { Peer } from '@switchyard/rpc';
import type { TransferEdges } from '../application/transfer-uploads';

/** Milliseconds for all files of an archive. */
const uploadsMs = 7_200_000;

/** Asks imports-exports for the uploads of an archive. */
export function archiveUploadsOf(peer: Peer): TransferEdges['readArchive'] {
  const archives = peer.client(ArchiveBundleServiceService);
  return (importKey, signal) =>
    archives.readArchiveUploads({ importKey }, { requestId: `uploads-${importKey}`, signal, timeoutMs: uploadsMs });
}
