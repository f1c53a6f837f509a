import type { BlobStore } from '@switchyard/blobs';
import { notFound } from '@switchyard/errors';
import type { BomPart } from '../../boms';
import type { ReadReportText } from './read-in-thread';
import { unpacked } from './unpack';

/** Reads a stored report, piece by piece. */
export const readReport = (blobs: BlobStore, readText: ReadReportText) =>
  async function* read(blob: string, signal: AbortSignal): AsyncGenerator<BomPart> {
    const found = await blobs.open(blob);
    if (found === undefined) throw notFound();
    try {
      yield* readText(unpacked(found.content), signal);
    } finally {
      found.content.destroy();
    }
  };
