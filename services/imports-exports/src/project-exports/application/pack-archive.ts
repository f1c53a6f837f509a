import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { type ArchiveExtent, isInBounds } from '../domain/archive-bounds';
import { inParts } from './in-parts';

const pack = promisify(gzip);

/**
 * Packs a tar file so that what is in it stays within the bounds of its reader: each part is a gzip member of its own, and
 * is stored as it is where it would pack too well. A stored part adds to what may be in the archive at least what
 * it adds to what is in it.
 * @param filesSoFar the files that texts link to, those among them of which no byte has come yet
 */
export async function* packArchive(
  tar: AsyncIterable<Uint8Array>,
  filesSoFar: () => Pick<ArchiveExtent, 'files' | 'fileBytes'>,
): AsyncGenerator<Uint8Array> {
  let [unpacked, size] = [0, 0];
  for await (const part of inParts(tar)) {
    unpacked += part.length;
    let packed = await pack(part);
    if (!isInBounds({ unpacked, ...filesSoFar() }, size + packed.length))
      packed = await pack(part, { level: constants.Z_NO_COMPRESSION });
    size += packed.length;
    yield packed;
  }
}
