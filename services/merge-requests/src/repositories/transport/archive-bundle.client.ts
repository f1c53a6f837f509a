import { ArchiveBundleServiceService } from '@switchyard/protos/imports_exports/v1/archive_bundle';
import type { Peer } from '@switchyard/rpc';
import type { ReadBundle } from '../application/import-bundle';

/** Milliseconds for a bundle, as long as git may take to unpack it. */
const bundleMs = 3_600_000;

/** Asks imports-exports for the repositories of an archive. */
export function bundlesOf(peer: Peer): ReadBundle {
  const bundles = peer.client(ArchiveBundleServiceService);
  return async function* (importKey, wiki, signal) {
    const options = { requestId: `bundle-${importKey}`, signal, timeoutMs: bundleMs };
    const read = wiki ? bundles.readArchiveWiki : bundles.readArchiveBundle;
    for await (const { data } of read({ importKey }, options)) yield data;
  };
}
