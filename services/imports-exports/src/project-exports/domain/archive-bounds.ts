/** What an archive has in it. */
export interface ArchiveExtent {
  /** Bytes of its tar file. */
  readonly unpacked: number;
  /** Files that texts link to. */
  readonly files: number;
  /** Bytes of these. */
  readonly fileBytes: number;
}

/**
 * What may be in an archive, by its bytes as it is sent (ADR 60): who sends little has little work done. JSON is packed to a
 * tenth, and pictures and texts to a third; each byte of a file is stored when it comes in. Each file is a transaction then,
 * and takes 1,536 bytes of the tar file where it is empty.
 * @param size bytes
 */
export const archiveBounds = (size: number): ArchiveExtent => ({
  unpacked: (256 << 20) + 50 * size,
  files: 100_000 + Math.floor(size / 1_536),
  fileBytes: (256 << 20) + 3 * size,
});

/**
 * Whether an archive may have all this.
 * @param size its bytes as it is sent
 */
export function isInBounds(extent: ArchiveExtent, size: number): boolean {
  const bounds = archiveBounds(size);
  return extent.unpacked <= bounds.unpacked && extent.files <= bounds.files && extent.fileBytes <= bounds.fileBytes;
}
