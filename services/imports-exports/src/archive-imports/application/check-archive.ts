import { archiveBounds } from '../../project-exports';
import { badArchive, checkEnd, checkFormat, entryOrder, isUploadRecord } from '../domain/archive-order';
import { boundValues } from '../domain/page-values';
import { readUpload } from './archived-upload';
import type { ArchiveEntry } from './read-archive';

/**
 * Reads an archive to its end, and writes nothing.
 * @param archiveSize its bytes as it was sent
 * @param checkRecords looks at a page of records; called for kinds that are not known as well
 * @throws AppError unprocessable for what is no archive, one of a later format, and one that was cut; as `checkRecords`
 */
export async function checkArchive(
  entries: AsyncIterable<ArchiveEntry>,
  archiveSize: number,
  checkRecords: (kind: string, lines: Buffer) => Promise<void>,
): Promise<void> {
  const bounds = archiveBounds(archiveSize);
  const order = entryOrder();
  const records = new Map<string, number>();
  const parts = { repository: 0, wiki: 0, uploadEntries: 0 };
  let [uploadSize, uploadBytes] = [0, 0];
  let isWhole = false;
  for await (const { place, size, content } of entries) {
    order.next(place);
    if (place.part === 'repository' || place.part === 'wiki') {
      parts[place.part] += 1;
      continue;
    }
    if (place.part === 'uploads') {
      parts.uploadEntries += 1;
      if (parts.uploadEntries > 2 * bounds.files) throw badArchive(`it has more than ${bounds.files} files`);
      if (isUploadRecord(place)) {
        uploadSize = readUpload(await content()).size;
        continue;
      }
      if (size !== uploadSize) throw badArchive('a file has another size than its record');
      uploadBytes += size;
      if (uploadBytes > bounds.fileBytes) throw badArchive('its files are far larger than it');
      continue;
    }
    const bytes = await content();
    if (place.part === 'format') checkFormat(bytes);
    if (place.part === 'records') {
      records.set(place.kind, (records.get(place.kind) ?? 0) + boundValues(bytes));
      await checkRecords(place.kind, bytes);
    }
    if (place.part === 'end') {
      checkEnd(bytes, records, parts);
      isWhole = true;
    }
  }
  if (!isWhole) throw badArchive('it was cut off');
}
