import type { BlobStore } from '@switchyard/blobs';
import { notFound } from '@switchyard/errors';
import { type BomPart, isLicenseId, readCycloneDx } from '../../boms';
import { unpacked } from './unpack';

/** Reads a stored report, piece by piece. */
export const readReport = (blobs: BlobStore) =>
  async function* read(blob: string): AsyncGenerator<BomPart> {
    const found = await blobs.open(blob);
    if (found === undefined) throw notFound();
    try {
      yield* readCycloneDx(unpacked(found.content), isLicenseId);
    } finally {
      found.content.destroy();
    }
  };
